package main

import (
	"embed"
	"strings"

	"github.com/spf13/cobra"
)

// manual holds what --help prints of each command, in both languages: a section a command, with a line that sums it
// up, paragraphs, and in English the examples of both. Indented lines stay as they are.
//
//go:embed manual/en.txt manual/zh.txt
var manual embed.FS

// pages returns the sections of a manual by the path of the command.
func pages(lang string) map[string]string {
	b, err := manual.ReadFile("manual/" + lang + ".txt")
	if err != nil {
		panic(err) // it is embedded
	}
	out := map[string]string{}
	for section := range strings.SplitSeq("\n"+string(b), "\n# ") {
		path, text, _ := strings.Cut(section, "\n\n")
		out[path] = text
	}
	return out
}

// describe gives a command and those below it the texts of the manual.
func describe(c *cobra.Command, in, english map[string]string) {
	text, examples, _ := strings.Cut(english[c.CommandPath()], "\nExamples:\n\n")
	if here, ok := in[c.CommandPath()]; ok {
		text, _, _ = strings.Cut(here, "\nExamples:\n\n")
	}
	c.Short, c.Long, _ = strings.Cut(strings.TrimRight(text, "\n"), "\n\n")
	c.Example = strings.TrimRight(examples, "\n")
	for _, sub := range c.Commands() {
		describe(sub, in, english)
	}
}
