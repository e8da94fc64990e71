package main

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/screen"
)

// process holds the arguments, streams and environment of a command.
type process struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
}

// app is one invocation: the process, its language and terminal, and the global flags.
type app struct {
	process
	speech
	screen.Terminal
	config   config
	store    string // its folder
	label    string // name of the team, for a new store
	json     bool
	quiet    bool
	readOnly bool
	started  bool         // flags and arguments are valid
	logger   *slog.Logger // of a command that serves; nil: no log
	command  string       // its name, of one that runs on held
	on       *held        // memory on which a command of another process runs; nil: the command opens a store
	lost     error        // why the process that holds the store could not be reached; nil: there was none
	bounds   bounds
	spending spending
}

// run runs a command and returns the exit code. Only process-wide setup stays in main.
func run(ctx context.Context, p process) int {
	a := newApp(p, readConfig(p))
	a.Terminal = screen.Open(p.stdout, p.stderr, p.getenv)
	return a.run(ctx)
}

func newApp(p process, c config) *app {
	a := &app{process: p, config: c}
	p.getenv = a.config.getenv
	a.getenv = p.getenv
	a.speech = speechFor(p.args, p.getenv)
	return a
}

func (a *app) run(ctx context.Context) int {
	root := a.root() //nolint:contextcheck // ctx comes to the commands through ExecuteContext
	if slices.Equal(a.args, []string{"--version"}) {
		a.args = []string{"version"} // what installers and people try first
	}
	root.SetArgs(a.args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	return a.exit(root.ExecuteContext(ctx))
}

// progress returns a bar for a job that begins now, which draws only for a person at a terminal.
func (a *app) progress(label string, count func(int64) string) *screen.Progress {
	if a.Live && !a.quiet && !a.json {
		return screen.NewProgress(a.stderr, label, count)
	}
	return screen.NewProgress(nil, label, count)
}

const defaultStore = ".memtree"

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "memtree",
		Short: a.say("memtree remembers how AI agents judged wrongly, and warns before the next run"),
		Long: a.say(`A judged run comes in; a wrong judgement becomes a case. Before an agent runs, the few
memories that fit are written into its prompt. No account, model or server is needed.`),
		Example: `  memtree demo
  memtree init
  memtree record runs.jsonl
  memtree guide --prompt "Check the order total" --route /orders/42`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return a.unknownCommand(c, args[0])
		},
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return a.start(c) },
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	a.persistent(root)
	root.SetHelpFunc(a.help)
	root.SetHelpCommand(&cobra.Command{Hidden: true, Use: "no-help"})
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if c == root && !strings.HasPrefix(a.args[0], "-") { // its flags are unknown because it is
			return a.unknownCommand(root, a.args[0])
		}
		return &usageError{a.flagSentence(err)}
	})
	for _, c := range a.commands() {
		for _, c := range append(c.Commands(), c) {
			c.DisableFlagsInUseLine = true
			c.Flags().SortFlags = false
		}
		root.AddCommand(c)
	}
	return root
}

// unknownCommand returns an error for an unknown subcommand of c, with commands of similar names.
func (a *app) unknownCommand(c *cobra.Command, name string) error {
	c.SuggestionsMinimumDistance = 2
	near := c.SuggestionsFor(name)
	if c.HasParent() {
		name = c.Name() + " " + name
	}
	if len(near) > 0 {
		return &usageError{a.say("there is no command %q; did you mean %s?", name, strings.Join(near, a.say(" or ")))}
	}
	return &usageError{a.say("there is no command %q; %s --help lists them", name, c.CommandPath())}
}

func (a *app) persistent(root *cobra.Command) {
	f := root.PersistentFlags()
	f.SortFlags = false
	store := a.getenv("MEMTREE_STORE")
	if store == "" {
		store = defaultStore
	}
	f.StringVar(&a.store, "store", store, a.say("folder of the store (or MEMTREE_STORE)"))
	f.Lookup("store").DefValue = defaultStore
	f.String("config", "", a.say("config file (or MEMTREE_CONFIG); see memtree config"))
	f.BoolVar(&a.json, "json", false, a.say("print JSON"))
	f.String("lang", a.lang, a.say("language of what is printed: zh or en"))
	f.BoolVar(&a.quiet, "quiet", false, a.say("print results only, no notes and no progress"))
	f.BoolVar(&a.readOnly, "read-only", false, a.say("write nothing"))
	f.BoolP("help", "h", false, a.say("show help"))
	register := func(name string, values ...cobra.Completion) {
		// This fails only for a flag that the command does not have.
		_ = root.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	register("lang", "zh", "en")
	_ = root.MarkPersistentFlagDirname("store") // as above
}

// start runs once the flags and arguments are valid. If another process holds the store and runs the commands of
// others, the command runs there and not here.
func (a *app) start(c *cobra.Command) error {
	if err := a.configure(c); err != nil {
		return err
	}
	if a.badLang != "" {
		return &usageError{a.say("--lang is %q; use zh or en", a.badLang)}
	}
	if a.store == "" {
		return &usageError{a.say("--store is empty; name a folder")}
	}
	a.started = true
	if a.on != nil {
		return a.mayRun(c)
	}
	return a.elsewhere(c.Context(), c)
}

func (a *app) commands() []*cobra.Command {
	return []*cobra.Command{
		a.demoCommand(), a.initCommand(), a.recordCommand(), a.ingestCommand(), a.guideCommand(), a.contextCommand(),
		a.freezeCommand(), a.enhanceCommand(), a.explainCommand(),
		a.checksCommand(),
		a.evolveCommand(), a.briefCommand(), a.reviewCommand(), a.pruneCommand(), a.treeCommand(), a.showCommand(),
		a.statsCommand(), a.effectCommand(),
		a.knowCommand(), a.mapCommand(), a.runCommand(), a.searchCommand(),
		a.teachCommand(), a.forgetCommand(), a.pinCommand(), a.banCommand(), a.aboutCommand(),
		a.labelCommand(), a.relabelCommand(), a.editCommand(),
		a.undoCommand(),
		a.replayCommand(), a.verifyCommand(), a.fsckCommand(), a.compactCommand(),
		a.triageCommand(), a.reportCommand(), a.exportCommand(), a.importCommand(), a.promoteCommand(), a.diffCommand(),
		a.backupCommand(), a.restoreCommand(), a.mergeDriverCommand(), a.mcpCommand(),
		a.serveCommand(), a.tokenCommand(), a.configCommand(), a.llmCommand(),
		a.completionCommand(), a.versionCommand(),
	}
}

// arguments checks the number of arguments; its errors are sentences.
func (a *app) arguments(least, most int, want string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if c.HasSubCommands() && len(args) > 0 {
			return a.unknownCommand(c, args[0])
		}
		if len(args) < least || (most >= 0 && len(args) > most) {
			return &usageError{a.say("%s takes %s; given: %d", c.CommandPath(), want, len(args))}
		}
		return nil
	}
}
