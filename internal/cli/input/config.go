package input

import (
	"cmp"
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

	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm/langchain"
)

// Config holds the settings from outside the command line. --log-format, MEMTREE_LOG_FORMAT and the key log-format in
// the config file are the same setting. A flag overrides the environment, and the environment the file.
type Config struct {
	Path    string // path of the config file; "" if there is none
	entries []configEntry
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
	{key: "llm-price", kind: "string"}, {key: "llm-embed-price", kind: "string"}, {key: "llm-images", kind: "string"},
	{key: "decide-url", kind: "string"}, {key: "decide-model", kind: "string"}, {key: "decide-api-key", kind: "string"},
	{key: "decide-price", kind: "string"},
}

// settingsOfAll are the flags of every command that can be set.
var settingsOfAll = []string{"store", "lang", "read-only"}

// secret reports whether a setting is a key, which is masked and belongs into no file that others may read.
func secret(key string) bool { return key == "llm-api-key" || key == "decide-api-key" }

// NoSetting is a flag of serve that cannot be a setting: a file that set it would prevent the service from serving.
const NoSetting = "probe"

// settingsOf returns all settings: of every command, of serve, and of the model.
func settingsOf(root *cobra.Command) []setting {
	var out []setting
	for _, name := range settingsOfAll {
		f := root.PersistentFlags().Lookup(name)
		out = append(out, setting{name, f.Value.Type(), f})
	}
	if serve, _, err := root.Find([]string{"serve"}); err == nil {
		serve.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && f.Name != NoSetting {
				out = append(out, setting{f.Name, f.Value.Type(), f})
			}
		})
	}
	return append(out, llmSettings...)
}

// settingVariable is the environment variable of a setting.
func settingVariable(key string) string {
	return "MEMTREE_" + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))
}

// ReadConfig reads the config file that p's arguments or environment name, or the default one. An error of reading is
// reported by Apply.
func ReadConfig(p say.Process) *Config {
	path, named := configPath(p.Args, p.Getenv)
	c := &Config{env: p.Getenv}
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
	c.Path, c.err = path, err
	return c
}

// ConfigOf returns a Config of the environment alone. It is for a command of another process, which has read the config
// file itself.
func ConfigOf(getenv func(string) string) *Config { return &Config{env: getenv} }

// Getenv returns the environment variable name. If that is unset or empty, it returns the setting of the config file
// that belongs to the variable, "" without one.
func (c *Config) Getenv(name string) string {
	if v := c.env(name); v != "" {
		return v
	}
	for i := range c.entries {
		if settingVariable(c.entries[i].key) == name {
			return strings.Join(c.entries[i].values, ",")
		}
	}
	return ""
}

func (c *Config) entry(key string) *configEntry {
	for i := range c.entries {
		if c.entries[i].key == key {
			return &c.entries[i]
		}
	}
	return nil
}

// Apply checks the config file, and sets the flags of cmd that the user did not give. Its error names the variable, or
// the file and line.
func (c *Config) Apply(v *say.Voice, cmd *cobra.Command) error {
	known := settingsOf(cmd.Root())
	if err := c.check(v, known); err != nil {
		return err
	}
	for _, s := range known {
		if s.flag == nil || s.flag.Changed || cmd.Flags().Lookup(s.key) != s.flag {
			continue
		}
		values, name := []string(nil), settingVariable(s.key)
		if set := c.env(name); set != "" {
			values = []string{set}
			if s.kind == "stringArray" {
				values = strings.Split(set, ",")
			}
		} else if e := c.entry(s.key); e != nil {
			values, name = e.values, fmt.Sprintf("%s:%d: %s", c.Path, e.line, s.key)
		}
		for _, value := range values {
			if err := s.flag.Value.Set(value); err != nil {
				return v.Usage("%s is %q; it takes %s", name, value, takenValues(v, s.kind))
			}
		}
	}
	return nil
}

// check reports what is wrong with the config file: where, and what to do.
func (c *Config) check(v *say.Voice, known []setting) error {
	var bad *configError
	switch err := c.err; {
	case errors.As(err, &bad):
		at := c.Path
		if bad.line > 0 {
			at += ":" + strconv.Itoa(bad.line)
		}
		if bad.field != "" {
			at += ": " + bad.field
		}
		return &say.UsageError{Text: at + ": " + v.Mistake(bad.problem)}
	case errors.Is(err, fs.ErrNotExist):
		return v.Usage("there is no config file %s; name another with --config or MEMTREE_CONFIG", c.Path)
	case err != nil:
		return &say.UsageError{Text: v.Sentence(err)}
	}
	for _, e := range c.entries {
		at := fmt.Sprintf("%s:%d: %s", c.Path, e.line, e.key)
		i := slices.IndexFunc(known, func(s setting) bool { return s.key == e.key })
		switch {
		case i < 0:
			return &say.UsageError{Text: at + ": " + unknownKey(v, e.key, known)}
		case e.list && known[i].kind != "stringArray":
			return v.Usage("%s is a list; it takes %s", at, takenValues(v, known[i].kind))
		case secret(e.key) && openToOthers(c.Path):
			return v.Usage("%s: everybody on this machine may read the file, and it holds a key; chmod 640 %s", at, c.Path)
		case !e.list && !readsAs(known[i].kind, e.values[0]):
			return v.Usage("%s is %q; it takes %s", at, e.values[0], takenValues(v, known[i].kind))
		}
	}
	return nil
}

func unknownKey(v *say.Voice, key string, known []setting) string {
	best, least := "", 4
	for _, s := range known {
		if d := text.Edits(key, s.key); d < least {
			best, least = s.key, d
		}
	}
	if best == "" {
		return v.Say("there is no such key; memtree config show lists them (error types and checks of a team stand in " +
			"memtree.yaml beside the store)")
	}
	return v.Say("there is no such key; did you mean %s?", best)
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

// takenValues describes the values of a kind of setting.
func takenValues(v *say.Voice, kind string) string {
	return cmp.Or(map[string]string{
		"bool": v.Say("true or false"), "int": v.Say("a whole number"), "float64": v.Say("a number"),
		"duration": v.Say("a time such as 90s or 5m"),
	}[kind], v.Say("a text"))
}

// Setting is one setting as "config show" prints it.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"` // an API key is masked
	From  string `json:"from"`  // where it comes from: default, FILE:LINE, the variable, or the flag
}

// Settings returns all settings of the program whose root command is root, with their values and where they come from.
func (c *Config) Settings(root *cobra.Command) []Setting {
	var out []Setting
	for _, s := range settingsOf(root) {
		out = append(out, c.shown(s))
	}
	return out
}

// shown finds the value of a setting and its source.
func (c *Config) shown(s setting) Setting {
	out := Setting{Key: s.key, From: "default"}
	name := c.variableOf(s.key)
	env, e := c.env(name), c.entry(s.key)
	if s.flag != nil {
		out.Value = strings.TrimSuffix(strings.TrimPrefix(s.flag.DefValue, "["), "]")
	}
	switch {
	case s.flag != nil && s.flag.Changed:
		out.Value, out.From = s.flag.Value.String(), "--"+s.key
	case env != "":
		out.Value, out.From = env, name
	case e != nil && name == settingVariable(s.key):
		out.Value, out.From = strings.Join(e.values, ","), fmt.Sprintf("%s:%d", c.Path, e.line)
	}
	if secret(s.key) && out.Value != "" {
		out.Value = langchain.Secret(out.Value).String()
	}
	return out
}

// variableOf returns the variable that a setting is read from. For a model it may be another program's.
func (c *Config) variableOf(key string) string {
	v, ok := langchain.NamesOf(c.Getenv)
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
	return settingVariable(key)
}
