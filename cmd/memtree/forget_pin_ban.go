package main

import (
	"github.com/spf13/cobra"

	"github.com/memtree/memtree/curation"
)

// This file defines the commands that record one decision on one memory: forget, pin and ban.

func forgetCommand(a *app) *cobra.Command {
	o, yes := curation.Options{}, false
	c := decisionCommand(a, "forget ID", &o, func(c *cobra.Command, id string) error {
		o.DryRun = !yes
		return decide(c.Context(), a, id, o, (*curation.Curation).Forget)
	})
	c.Flags().BoolVar(&o.Purge, "purge", false, a.Say("remove its bytes too: this cannot be taken back"))
	c.Flags().BoolVar(&yes, "yes", false, a.Say("do it"))
	return c
}

func pinCommand(a *app) *cobra.Command {
	o := curation.Options{}
	c := decisionCommand(a, "pin ID", &o, func(c *cobra.Command, id string) error {
		return decide(c.Context(), a, id, o, (*curation.Curation).Pin)
	})
	return c
}

func banCommand(a *app) *cobra.Command {
	o, yes := curation.Options{}, false
	c := decisionCommand(a, "ban ID", &o, func(c *cobra.Command, id string) error {
		o.DryRun = !yes
		return decide(c.Context(), a, id, o, (*curation.Curation).Ban)
	})
	c.Flags().BoolVar(&yes, "yes", false, a.Say("do it"))
	return c
}
