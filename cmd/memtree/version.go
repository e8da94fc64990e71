package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: a.say("Print the version and build"),
		Args:  a.arguments(0, 0, a.say("no arguments")),
		RunE: func(*cobra.Command, []string) error {
			v := built()
			if a.json {
				return a.printJSON(v)
			}
			line := "memtree " + v.Version
			if v.Revision != "" {
				line += " (" + v.Revision + ")"
			}
			return a.print(line + " " + v.Go + " " + v.Platform)
		},
	}
}

type version struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// built reads the version that the Go tool wrote into the binary.
func built() version {
	v := version{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			v.Revision = s.Value[:12]
		}
	}
	return v
}
