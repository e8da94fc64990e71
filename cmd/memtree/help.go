package main

import (
	"errors"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memtree/memtree/internal/cli/screen"
)

// help prints a command's help within 80 columns in the user's language.
func (a *app) help(c *cobra.Command, _ []string) {
	var lines []string
	add := func(ls ...string) { lines = append(lines, ls...) }
	add(a.Wrap(c.Short)...)
	if c.Long != "" {
		add("")
		add(a.Wrap(fold(c.Long))...)
	}
	add("", a.Paint(screen.Bold, a.say("Usage:")))
	if c.HasParent() {
		add("  " + c.Parent().CommandPath() + " " + c.Use)
	} else {
		add(a.say("  memtree COMMAND [flags]"))
	}
	if c.Example != "" {
		add("", a.Paint(screen.Bold, a.say("Examples:")), c.Example)
	}
	if t := a.commandTable(c); len(t.Rows) > 0 {
		add("", a.Paint(screen.Bold, a.say("Commands:")))
		add(t.Lines(a.Width)...)
	}
	shared := c.Root().PersistentFlags()
	if t := a.flagTable(c.Flags(), func(name string) bool { return shared.Lookup(name) == nil }); len(t) > 0 {
		add("", a.Paint(screen.Bold, a.say("Flags:")))
		add(t...)
	}
	add("", a.Paint(screen.Bold, a.say("Flags of every command:")))
	add(a.flagTable(shared, func(string) bool { return true })...)
	if !c.HasParent() {
		add("")
		add(a.Wrap(a.say("Exit codes: 0 all went well, 1 something failed, 2 the command was not understood, " +
			"3 some input was rejected and the rest was taken."))...)
	}
	// If standard output is closed, the error cannot be reported.
	_ = a.print(lines...)
}

// fold joins the lines of each paragraph; indented lines stay.
func fold(s string) string {
	return regexp.MustCompile(`(\S)\n(\S)`).ReplaceAllString(s, "$1 $2")
}

func (a *app) commandTable(c *cobra.Command) *screen.Table {
	t := &screen.Table{Indent: "  ", Columns: []screen.Column{{}, {Least: 20}}}
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			t.Add(sub.Name(), sub.Short)
		}
	}
	return t
}

// flagTable returns the lines of the wanted flags. The description of a flag is wrapped beside its name.
func (a *app) flagTable(flags *pflag.FlagSet, want func(name string) bool) []string {
	const left = 24
	var out []string
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
			use += a.say(" (default %s)", f.DefValue)
		}
		for i, l := range screen.Wrap(use, a.Width-left-2) {
			if i > 0 {
				name = ""
			}
			if len(name) >= left {
				out = append(out, "  "+name)
				name = ""
			}
			out = append(out, "  "+name+strings.Repeat(" ", left-len(name))+l)
		}
	})
	return out
}

// flagSentence describes what is wrong with a flag.
func (a *app) flagSentence(err error) string {
	var bad *pflag.InvalidValueError
	var none *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	switch {
	case errors.As(err, &bad):
		want := a.say("a text")
		switch bad.GetFlag().Value.Type() {
		case "int", "uint64":
			want = a.say("a whole number")
		case "bool":
			want = a.say("true or false")
		case "duration":
			want = a.say("a time such as 90s or 5m")
		}
		return a.say("--%s is %q; it takes %s", bad.GetFlag().Name, bad.GetValue(), want)
	case errors.As(err, &none):
		name := none.GetSpecifiedName()
		if none.GetSpecifiedShortnames() != "" {
			return a.say("there is no flag %s; memtree COMMAND --help lists them", "-"+name)
		}
		return a.say("there is no flag %s; memtree COMMAND --help lists them", "--"+name)
	case errors.As(err, &bare):
		return a.say("--%s needs a value after it", bare.GetFlag().Name)
	}
	return err.Error()
}
