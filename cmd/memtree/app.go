package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/cli/say"
)

// app is what a command is given: a voice, the user's files, the door to the store, and a model. What a command does
// is in functions, which take the voice alone where they only print.
type app struct {
	*say.Voice
	files   *input.Files
	model   *model.Model
	store   *access.Opener
	config  *input.Config
	started bool // flags and arguments are valid
}

// arguments checks the number of arguments; its errors are sentences.
func arguments(v *say.Voice, least, most int, want string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if c.HasSubCommands() && len(args) > 0 {
			return unknownCommand(v, c, args[0])
		}
		return counted(v, c, args, least, most, want)
	}
}

func counted(v *say.Voice, c *cobra.Command, args []string, least, most int, want string) error {
	if len(args) < least || (most >= 0 && len(args) > most) {
		return v.Usage("%s takes %s; given: %d", c.CommandPath(), want, len(args))
	}
	return nil
}

// unknownCommand returns an error for an unknown subcommand of c, with commands of similar names.
func unknownCommand(v *say.Voice, c *cobra.Command, name string) error {
	c.SuggestionsMinimumDistance = 2
	near := c.SuggestionsFor(name)
	if c.HasParent() {
		name = c.Name() + " " + name
	}
	if len(near) > 0 {
		return v.Usage("there is no command %q; did you mean %s?", name, strings.Join(near, v.Say(" or ")))
	}
	return v.Usage("there is no command %q; %s --help lists them", name, c.CommandPath())
}
