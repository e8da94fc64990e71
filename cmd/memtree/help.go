package main

import (
	"errors"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memtree/memtree/internal/cli/say"
)

// help prints a command's help within 80 columns in the user's language.
func help(v *say.Voice, c *cobra.Command) {
	var lines []string
	add := func(ls ...string) { lines = append(lines, ls...) }
	add(v.Wrap(c.Short)...)
	if c.Long != "" {
		add("")
		add(v.Wrap(fold(c.Long))...)
	}
	add("", v.Paint(say.Bold, v.Say("Usage:")))
	if c.HasParent() {
		add("  " + c.Parent().CommandPath() + " " + c.Use)
	} else {
		add(v.Say("  memtree COMMAND [flags]"))
	}
	if c.Example != "" {
		add("", v.Paint(say.Bold, v.Say("Examples:")), c.Example)
	}
	if t := commandTable(v, c); len(t.Rows) > 0 {
		add("", v.Paint(say.Bold, v.Say("Commands:")))
		add(t.Lines(v.Width)...)
	}
	shared := c.Root().PersistentFlags()
	if t := flagTable(v, c.Flags(), func(name string) bool { return shared.Lookup(name) == nil }); len(t) > 0 {
		add("", v.Paint(say.Bold, v.Say("Flags:")))
		add(t...)
	}
	add("", v.Paint(say.Bold, v.Say("Flags of every command:")))
	add(flagTable(v, shared, func(string) bool { return true })...)
	if !c.HasParent() {
		add("")
		add(v.Wrap(v.Say("Exit codes: 0 all went well, 1 something failed or nothing was taken, 2 the command was not " +
			"understood, 3 some input was rejected and the rest was taken."))...)
	}
	// If standard output is closed, the error cannot be reported.
	_ = v.Print(lines...)
}

// fold joins the lines of each paragraph; indented lines stay.
func fold(s string) string {
	return regexp.MustCompile(`(\S)\n(\S)`).ReplaceAllString(s, "$1 $2")
}

func commandTable(v *say.Voice, c *cobra.Command) *say.Table {
	t := &say.Table{Indent: "  ", Columns: []say.Column{{}, {Least: 20}}}
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			t.Add(sub.Name(), sub.Short)
		}
	}
	return t
}

// flagTable returns the lines of the wanted flags. The description of a flag is wrapped beside its name.
func flagTable(v *say.Voice, flags *pflag.FlagSet, want func(name string) bool) []string {
	const left = 24
	p := v.Page()
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || !want(f.Name) {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		switch f.Value.Type() {
		case "bool":
		case "string":
			name += " TEXT"
		case "stringSlice", "stringArray":
			name += " LIST"
		case "duration":
			name += " TIME"
		default:
			name += " N"
		}
		use := f.Usage
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" && f.DefValue != "[]" {
			use += v.Say(" (default %s)", f.DefValue)
		}
		for i, l := range say.Wrap(use, v.Width-left-2) {
			if i > 0 {
				name = ""
			}
			if len(name) >= left {
				p.Raw("  " + name)
				name = ""
			}
			p.Raw("  " + name + strings.Repeat(" ", left-len(name)) + l)
		}
	})
	return p.Lines
}

// flagSentence describes what is wrong with a flag.
func flagSentence(v *say.Voice, err error) string {
	var bad *pflag.InvalidValueError
	var none *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	switch {
	case errors.As(err, &bad):
		want := v.Say("a text")
		switch bad.GetFlag().Value.Type() {
		case "int", "uint64":
			want = v.Say("a whole number")
		case "bool":
			want = v.Say("true or false")
		case "duration":
			want = v.Say("a time such as 90s or 5m")
		case "extent":
			want = v.Say("a number such as 20, a share such as 30%, or all")
		}
		return v.Say("--%s is %q; it takes %s", bad.GetFlag().Name, bad.GetValue(), want)
	case errors.As(err, &none):
		name := none.GetSpecifiedName()
		if none.GetSpecifiedShortnames() != "" {
			return v.Say("there is no flag %s; memtree COMMAND --help lists them", "-"+name)
		}
		return v.Say("there is no flag %s; memtree COMMAND --help lists them", "--"+name)
	case errors.As(err, &bare):
		return v.Say("--%s needs a value after it", bare.GetFlag().Name)
	}
	return err.Error()
}
