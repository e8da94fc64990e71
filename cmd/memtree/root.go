package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/taxonomy"
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
	root := rootCommand(a) //nolint:contextcheck // ctx comes to the commands through ExecuteContext
	if slices.Equal(a.Args, []string{"--version"}) {
		a.Args = []string{"version"} // what installers and people try first
	}
	root.SetArgs(a.Args)
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	return a.exit(root.ExecuteContext(ctx))
}

// The exit codes.
const (
	exitOK       = 0
	exitFailed   = 1
	exitUsage    = 2
	exitRejected = 3
)

// exit prints the error, if any, and returns the exit code. This is the only place that turns errors into sentences
// and exit codes.
func (a *app) exit(err error) int {
	var usage *say.UsageError
	var ran *access.RanElsewhere
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &ran):
		return ran.Code
	case errors.Is(err, say.ErrRejected):
		return exitRejected
	case errors.Is(err, say.ErrPrinted):
		return exitFailed
	case errors.As(err, &usage), !a.started:
		a.Complain(err.Error())
		return exitUsage
	}
	if problems := taxonomy.Problems(err); len(problems) > 0 { // each on its own line, for the person who corrects them
		for _, p := range problems {
			a.Complain(p.Error())
		}
		return exitFailed
	}
	a.Complain(a.Sentence(err))
	return exitFailed
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
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { help(a.Voice, c) })
	root.SetHelpCommand(&cobra.Command{Hidden: true, Use: "no-help"})
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if c == root && !strings.HasPrefix(a.Args[0], "-") { // its flags are unknown because it is
			return unknownCommand(a.Voice, root, a.Args[0])
		}
		return &say.UsageError{Text: flagSentence(a.Voice, err)}
	})
	for _, c := range commands(a) {
		for _, c := range append(c.Commands(), c) {
			c.DisableFlagsInUseLine = true
			c.Flags().SortFlags = false
			if c.Args == nil {
				c.Args = arguments(a.Voice, 0, 0, a.Say("no arguments"))
			}
		}
		root.AddCommand(c)
	}
	describe(root, pages(a.Lang), pages("en"))
	return root
}

func persistent(a *app, root *cobra.Command) {
	f := root.PersistentFlags()
	f.SortFlags = false
	store := a.Getenv("MEMTREE_STORE")
	if store == "" {
		store = defaultStore
	}
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

func commands(a *app) []*cobra.Command {
	return []*cobra.Command{
		demoCommand(a), initCommand(a), recordCommand(a), ingestCommand(a), guideCommand(a), contextCommand(a),
		freezeCommand(a), enhanceCommand(a), explainCommand(a),
		checksCommand(a),
		evolveCommand(a), briefCommand(a), reviewCommand(a), pruneCommand(a), treeCommand(a), showCommand(a),
		statsCommand(a), effectCommand(a),
		knowCommand(a), mapCommand(a), runCommand(a), searchCommand(a),
		teachCommand(a), forgetCommand(a), pinCommand(a), banCommand(a), aboutCommand(a),
		labelCommand(a), relabelCommand(a), editCommand(a),
		undoCommand(a), uncorrectCommand(a),
		replayCommand(a), verifyCommand(a), fsckCommand(a), compactCommand(a),
		triageCommand(a), reportCommand(a), exportCommand(a), importCommand(a), promoteCommand(a), diffCommand(a),
		backupCommand(a), restoreCommand(a), moveCommand(a), mergeDriverCommand(a.Voice), mcpCommand(a),
		serveCommand(a), tokenCommand(a), configCommand(a), llmCommand(a),
		completionCommand(a.Voice), versionCommand(a.Voice),
	}
}
