package main

import (
	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/transfer"
)

func mergeDriverCommand(v *say.Voice) *cobra.Command {
	return &cobra.Command{
		Use:  "merge-driver BASE OURS THEIRS [PATH]",
		Args: arguments(v, 3, 4, v.Say("three files, and the path git knows them by")),
		RunE: func(_ *cobra.Command, args []string) error {
			path := args[len(args)-1]
			conflicts, err := transfer.MergeFiles(args[0], args[1], args[2])
			if err != nil {
				return fileFailure(v, path, err)
			}
			if v.JSON {
				return v.PrintJSON(struct {
					Path      string              `json:"path"`
					Conflicts []transfer.NodePlan `json:"conflicts"`
				}{path, conflicts})
			}
			for _, x := range conflicts {
				for _, c := range x.Conflicts {
					v.Note(v.Say("%s: both branches changed %s: %s", path, short(x.ID), conflictLine(v, &c)))
				}
			}
			return nil
		},
	}
}
