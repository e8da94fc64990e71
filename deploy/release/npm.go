package main

import (
	_ "embed"
	"encoding/json"
	"strings"
)

//go:embed memtree.js
var launcher []byte

//go:embed npm.md
var npmReadme []byte

// npmPackage is a package.json.
type npmPackage struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	Repository  string            `json:"repository"`
	Bin         map[string]string `json:"bin,omitempty"`
	Engines     map[string]string `json:"engines,omitempty"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
}

// npm returns the name of the npm package of a platform.
func (p platform) npm() string { return "@memtree/cli-" + p.os + "-" + p.cpu }

// npmVersion returns the version for npm: without the part after a plus.
func (v *version) npmVersion() string {
	s, _, _ := strings.Cut(v.version, "+")
	return s
}

// npmFile returns the file name that npm gives to a packed package.
func (v *version) npmFile(name string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + v.npmVersion() + ".tgz"
}

// npmPlatform returns the package with the program of a platform. npm installs only the package of its own platform.
func (v *version) npmPlatform(p platform) []file {
	about := npmPackage{Name: p.npm(), Description: "The memtree program for " + p.goos + " on " + p.goarch,
		OS: []string{p.os}, CPU: []string{p.cpu}}
	program := v.programs[p]
	program.name = "bin/" + program.name
	return v.npmFiles(about, program)
}

// npmMain returns the package that people install. It starts the program of their platform.
func (v *version) npmMain() []file {
	about := npmPackage{Name: "memtree", Bin: map[string]string{"memtree": "memtree.js"}, Optional: map[string]string{},
		Description: "Remembers how your testing agent misjudged, and warns it before the next run",
		Engines:     map[string]string{"node": ">=18"}}
	for _, p := range platforms {
		about.Optional[p.npm()] = v.npmVersion()
	}
	return v.npmFiles(about, file{"memtree.js", launcher, true}, file{name: "README.md", data: npmReadme})
}

// npmFiles returns the files of a package, with package.json and the common files.
func (v *version) npmFiles(about npmPackage, files ...file) []file {
	about.Version, about.License = v.npmVersion(), "Apache-2.0"
	about.Repository = "github:memtree/memtree"
	b, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		panic(err) // it contains only strings
	}
	all := []file{{name: "package.json", data: append(b, '\n')}}
	for _, f := range v.common {
		if f.name != "README.md" {
			all = append(all, f)
		}
	}
	return within("package", append(all, files...))
}
