package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/cli/say"
)

// run runs a command and returns the exit code. Only process-wide setup stays in main.
func run(ctx context.Context, p say.Process) int {
	a := newApp(p, input.ReadConfig(p))
	a.Terminal = say.TerminalOf(p.Stdout, p.Stderr, p.Getenv)
	return a.run(ctx)
}

func newApp(p say.Process, c *input.Config) *app {
	p.Getenv = c.Getenv
	v := say.New(p)
	m := &model.Model{Voice: v}
	a := &app{
		Voice: v, files: &input.Files{Voice: v}, model: m, config: c,
		store: &access.Opener{Voice: v, Model: m, Version: built().Version, Command: runGuest},
	}
	m.Folder, v.Explain = a.store.Folder, a.store.Explain
	return a
}

// runGuest runs a command of another process on a store that this process holds.
func runGuest(ctx context.Context, g *access.Guest) int {
	a := newApp(g.Process(), input.ConfigOf(g.Process().Getenv)) // both processes have read their config files
	a.Terminal, a.files.Away, a.store.Guest, a.model.Spending = g.Terminal(), g.Away(), g, g.Spending()
	return a.run(ctx)
}

func (a *app) run(ctx context.Context) int {
	if slices.Equal(a.Args, []string{"--version"}) {
		a.Args = []string{"version"} // what installers and people try first
	}
	root := rootCommand(a) //nolint:contextcheck // ctx comes to the commands through ExecuteContext
	root.SetArgs(a.Args)
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	return a.exit(root.ExecuteContext(ctx))
}

const defaultStore = ".memtree"

func rootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "memtree",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownCommand(a.Voice, c, args[0])
		},
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return a.start(c) },
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	persistent(a, root)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		describe(root, pages(a.Lang), pages("en"))
		help(a.Voice, c)
	})
	root.SetHelpCommand(&cobra.Command{Hidden: true, Use: "no-help"})
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if c == root && !strings.HasPrefix(a.Args[0], "-") { // its flags are unknown because it is
			return unknownCommand(a.Voice, root, a.Args[0])
		}
		return &say.UsageError{Text: flagSentence(a.Voice, err)}
	})
	names := needed(a)
	for _, name := range names {
		made := commands()[name](a)
		for _, c := range append(made.Commands(), made) {
			c.DisableFlagsInUseLine = true
			c.Flags().SortFlags = false
			if c.Args == nil {
				c.Args = arguments(a.Voice, 0, 0, a.Say("no arguments"))
			}
		}
		root.AddCommand(made)
	}
	if len(names) == len(commands()) { // for completions; help describes what it prints
		describe(root, pages(a.Lang), pages("en"))
	}
	return root
}

func persistent(a *app, root *cobra.Command) {
	f := root.PersistentFlags()
	f.SortFlags = false
	store := cmp.Or(a.Getenv("MEMTREE_STORE"), defaultStore)
	f.StringVar(&a.store.Dir, "store", store, a.Say("folder or database URL of the store (or MEMTREE_STORE)"))
	f.Lookup("store").DefValue = defaultStore
	f.String("config", "", a.Say("config file (or MEMTREE_CONFIG); see memtree config"))
	f.BoolVar(&a.JSON, "json", false, a.Say("print JSON"))
	f.String("lang", a.Lang, a.Say("language of what is printed: zh or en"))
	f.BoolVar(&a.Quiet, "quiet", false, a.Say("print results only, no notes and no progress"))
	f.BoolVar(&a.store.ReadOnly, "read-only", false, a.Say("write nothing"))
	f.BoolP("help", "h", false, a.Say("show help"))
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
	if err := a.config.Apply(a.Voice, c); err != nil {
		return err
	}
	if a.BadLang != "" {
		return a.Usage("--lang is %q; use zh or en", a.BadLang)
	}
	if a.store.Dir == "" {
		return a.Usage("--store is empty; name a folder, or the URL of a database")
	}
	if err := a.store.Locate(); err != nil {
		return err
	}
	a.started = true
	if a.store.Guest != nil {
		return a.store.Admit(c)
	}
	return a.store.Elsewhere(c.Context(), c)
}

// needed returns the names of the commands that a process needs: the one that its first argument names, because to make
// all takes longer than some commands run. If that names none, it is all of them. Settings of a config file are held
// against serve.
func needed(a *app) []string {
	all := commands()
	if len(a.Args) == 0 || all[a.Args[0]] == nil {
		return slices.Sorted(maps.Keys(all))
	}
	if name := a.Args[0]; name != "serve" && (name == "config" || a.config.Path != "") {
		return []string{name, "serve"}
	}
	return a.Args[:1]
}

// commands returns what makes each command, by its name.
func commands() map[string]func(*app) *cobra.Command {
	return map[string]func(*app) *cobra.Command{
		"demo":         demoCommand,
		"init":         initCommand,
		"record":       recordCommand,
		"ingest":       ingestCommand,
		"guide":        guideCommand,
		"context":      contextCommand,
		"freeze":       freezeCommand,
		"enhance":      enhanceCommand,
		"explain":      explainCommand,
		"checks":       checksCommand,
		"evolve":       evolveCommand,
		"brief":        briefCommand,
		"review":       reviewCommand,
		"prune":        pruneCommand,
		"tree":         treeCommand,
		"show":         showCommand,
		"stats":        statsCommand,
		"effect":       effectCommand,
		"know":         knowCommand,
		"map":          mapCommand,
		"run":          runCommand,
		"search":       searchCommand,
		"teach":        teachCommand,
		"forget":       forgetCommand,
		"pin":          pinCommand,
		"ban":          banCommand,
		"about":        aboutCommand,
		"label":        labelCommand,
		"relabel":      relabelCommand,
		"edit":         editCommand,
		"undo":         undoCommand,
		"uncorrect":    uncorrectCommand,
		"replay":       replayCommand,
		"verify":       verifyCommand,
		"fsck":         fsckCommand,
		"compact":      compactCommand,
		"triage":       triageCommand,
		"report":       reportCommand,
		"export":       exportCommand,
		"import":       importCommand,
		"promote":      promoteCommand,
		"diff":         diffCommand,
		"backup":       backupCommand,
		"restore":      restoreCommand,
		"move":         moveCommand,
		"merge-driver": spoken(mergeDriverCommand),
		"mcp":          mcpCommand,
		"serve":        serveCommand,
		"token":        tokenCommand,
		"config":       configCommand,
		"llm":          llmCommand,
		"completion":   spoken(completionCommand),
		"version":      spoken(versionCommand),
	}
}

// spoken adapts what makes a command of a voice alone.
func spoken(of func(*say.Voice) *cobra.Command) func(*app) *cobra.Command {
	return func(a *app) *cobra.Command { return of(a.Voice) }
}
