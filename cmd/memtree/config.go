package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/llm/langchain"
)

// config is the configuration outside the command line. A setting has one name: --log-format, MEMTREE_LOG_FORMAT and
// log-format in the file are the same setting. A flag overrides the environment, and the environment the file.
type config struct {
	path    string // "" if there is no file
	entries []entry
	err     error // of reading the file; reported when a command starts
	env     func(string) string
}

// setting is one thing that can be set.
type setting struct {
	key  string
	kind string      // as pflag names types
	flag *pflag.Flag // nil: it has none
}

// llmSettings have no flag: every user of the machine can see a key on a command line.
var llmSettings = []setting{
	{key: "llm-provider", kind: "string"}, {key: "llm-model", kind: "string"}, {key: "llm-base-url", kind: "string"},
	{key: "llm-api-key", kind: "string"}, {key: "llm-embed-model", kind: "string"},
	{key: "llm-timeout", kind: "duration"}, {key: "llm-max-tokens", kind: "int"},
	{key: "llm-price", kind: "string"}, {key: "llm-embed-price", kind: "string"},
}

// everywhere are the flags of every command that can be set.
var everywhere = []string{"store", "lang", "read-only"}

const secretSetting = "llm-api-key"

// notSet is a flag of serve that cannot be a setting: a file that set it would prevent the service from serving.
const notSet = "probe"

// settings returns all settings: of every command, of serve, and of the model.
func settings(root *cobra.Command) []setting {
	var out []setting
	for _, name := range everywhere {
		f := root.PersistentFlags().Lookup(name)
		out = append(out, setting{name, f.Value.Type(), f})
	}
	if serve, _, err := root.Find([]string{"serve"}); err == nil {
		serve.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && f.Name != notSet {
				out = append(out, setting{f.Name, f.Value.Type(), f})
			}
		})
	}
	return append(out, llmSettings...)
}

// variable is the environment variable of a setting.
func variable(key string) string {
	return "MEMTREE_" + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))
}

// readConfig reads the config file, if there is one.
func readConfig(p process) config {
	path, named := configPath(p.args, p.getenv)
	c := config{env: p.getenv}
	if path == "" {
		return c
	}
	b, err := os.ReadFile(path) //nolint:gosec // the user names it
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		return c
	case err == nil:
		c.entries, err = parseConfig(b)
	}
	c.path, c.err = path, err
	return c
}

// getenv returns an environment variable, or the value of the file if the variable is unset.
func (c *config) getenv(name string) string {
	if v := c.env(name); v != "" {
		return v
	}
	for i := range c.entries {
		if variable(c.entries[i].key) == name {
			return strings.Join(c.entries[i].values, ",")
		}
	}
	return ""
}

func (c *config) entry(key string) *entry {
	for i := range c.entries {
		if c.entries[i].key == key {
			return &c.entries[i]
		}
	}
	return nil
}

// configure checks the file, and sets the flags of a command that were not given.
func (a *app) configure(c *cobra.Command) error {
	known := settings(c.Root())
	if err := a.checkConfig(known); err != nil {
		return err
	}
	for _, s := range known {
		if s.flag == nil || s.flag.Changed || c.Flags().Lookup(s.key) != s.flag {
			continue
		}
		values, of := []string(nil), variable(s.key)
		if v := a.config.env(of); v != "" {
			values = []string{v}
			if s.kind == "stringArray" {
				values = strings.Split(v, ",")
			}
		} else if e := a.config.entry(s.key); e != nil {
			values, of = e.values, fmt.Sprintf("%s:%d: %s", a.config.path, e.line, s.key)
		}
		for _, v := range values {
			if err := s.flag.Value.Set(v); err != nil {
				return &usageError{a.say("%s is %q; it takes %s", of, v, a.taken(s.kind))}
			}
		}
	}
	return nil
}

// checkConfig reports what is wrong with the config file: where, and what to do.
func (a *app) checkConfig(known []setting) error {
	var bad *configError
	switch err := a.config.err; {
	case errors.As(err, &bad):
		at := a.config.path
		if bad.line > 0 {
			at += ":" + strconv.Itoa(bad.line)
		}
		if bad.field != "" {
			at += ": " + bad.field
		}
		return &usageError{at + ": " + a.mistake(bad.problem)}
	case errors.Is(err, fs.ErrNotExist):
		return &usageError{a.say("there is no config file %s; name another with --config or MEMTREE_CONFIG", a.config.path)}
	case err != nil:
		return &usageError{a.sentence(err)}
	}
	for _, e := range a.config.entries {
		at := fmt.Sprintf("%s:%d: %s", a.config.path, e.line, e.key)
		i := slices.IndexFunc(known, func(s setting) bool { return s.key == e.key })
		switch {
		case i < 0:
			return &usageError{at + ": " + a.unknownKey(e.key, known)}
		case e.list && known[i].kind != "stringArray":
			return &usageError{a.say("%s is a list; it takes %s", at, a.taken(known[i].kind))}
		case e.key == secretSetting && openToOthers(a.config.path):
			return &usageError{a.say("%s: everybody on this machine may read the file, and it holds a key; chmod 640 %s",
				at, a.config.path)}
		case !e.list && !readsAs(known[i].kind, e.values[0]):
			return &usageError{a.say("%s is %q; it takes %s", at, e.values[0], a.taken(known[i].kind))}
		}
	}
	return nil
}

func (a *app) unknownKey(key string, known []setting) string {
	best, least := "", 4
	for _, s := range known {
		if d := distance(key, s.key); d < least {
			best, least = s.key, d
		}
	}
	if best == "" {
		return a.say("there is no such key; memtree config show lists them (error types and checks of a team stand in " +
			"memtree.yaml beside the store)")
	}
	return a.say("there is no such key; did you mean %s?", best)
}

// distance returns the edit distance of two texts in bytes (Levenshtein).
func distance(from, to string) int {
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(from) {
		before := row[0]
		row[0] = i + 1
		for j := range len(to) {
			change := before
			if from[i] != to[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, before+1)
		}
	}
	return row[len(to)]
}

// readsAs reports whether a text is a valid value of a kind.
func readsAs(kind, s string) (ok bool) {
	var err error
	switch kind {
	case "bool":
		_, err = strconv.ParseBool(s)
	case "int":
		_, err = strconv.Atoi(s)
	case "float64":
		_, err = strconv.ParseFloat(s, 64)
	case "duration":
		_, err = time.ParseDuration(s)
	}
	return err == nil
}

// taken describes the values of a kind of setting.
func (a *app) taken(kind string) string {
	switch kind {
	case "bool":
		return a.say("true or false")
	case "int":
		return a.say("a whole number")
	case "float64":
		return a.say("a number")
	case "duration":
		return a.say("a time such as 90s or 5m")
	}
	return a.say("a text")
}

// shownSetting is a setting as config show prints it.
type shownSetting struct {
	Key   string `json:"key"`
	Value string `json:"value"` // a key is masked
	From  string `json:"from"`  // default, FILE:LINE, the variable, or the flag
}

func (a *app) configCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: a.say("What is set, and where"),
		Long: a.say(`A setting is given as a flag, as a variable or in the config file; each has one name, so that
--log-format, MEMTREE_LOG_FORMAT and log-format: in the file are the same. A flag wins over a
variable, and a variable over the file. The file is the one that --config or MEMTREE_CONFIG names, or
memtree/config.yaml in XDG_CONFIG_HOME or ~/.config. memtree.yaml beside a store is another file: it
holds a team's error types and checks.`),
		Args: a.arguments(0, 0, a.say("a subcommand: show")),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(&cobra.Command{
		Use:   "show",
		Short: a.say("Print every setting, its value and where it comes from"),
		Args:  a.arguments(0, 0, a.say("no arguments")),
		RunE:  func(c *cobra.Command, _ []string) error { return a.showConfig(c.Root()) },
	})
	return c
}

func (a *app) showConfig(root *cobra.Command) error {
	var out []shownSetting
	for _, s := range settings(root) {
		out = append(out, a.shown(s))
	}
	if a.json {
		return a.printJSON(map[string]any{"file": a.config.path, "settings": out})
	}
	t := &screen.Table{Columns: []screen.Column{{Head: a.say("setting")}, {Head: a.say("value"), Least: 12},
		{Head: a.say("from"), Least: 12}}}
	for _, s := range out {
		t.Add(s.Key, s.Value, s.From)
	}
	return a.print(t.Lines(a.Width)...)
}

// shown finds the value of a setting and its source.
func (a *app) shown(s setting) shownSetting {
	out := shownSetting{Key: s.key, From: "default"}
	name := a.variableOf(s.key)
	env, e := a.config.env(name), a.config.entry(s.key)
	if s.flag != nil {
		out.Value = strings.TrimSuffix(strings.TrimPrefix(s.flag.DefValue, "["), "]")
	}
	switch {
	case s.flag != nil && s.flag.Changed:
		out.Value, out.From = s.flag.Value.String(), "--"+s.key
	case env != "":
		out.Value, out.From = env, name
	case e != nil && name == variable(s.key):
		out.Value, out.From = strings.Join(e.values, ","), fmt.Sprintf("%s:%d", a.config.path, e.line)
	}
	if s.key == secretSetting && out.Value != "" {
		out.Value = langchain.Secret(out.Value).String()
	}
	return out
}

// variableOf returns the variable that a setting is read from. For a model it may be another program's.
func (a *app) variableOf(key string) string {
	v, ok := langchain.NamesOf(a.getenv)
	if ok {
		switch key {
		case "llm-model":
			return v.Model
		case "llm-base-url":
			return v.BaseURL
		case "llm-api-key":
			return v.APIKey
		}
	}
	return variable(key)
}
