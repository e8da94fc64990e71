package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/fixtures"
	"github.com/memtree/memtree/tree"
)

func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "demo",
		Short:   a.say("Show the whole loop on shipped real data"),
		Long:    a.say("Records real judged runs into a temporary store, shows the tree they make, gives guidance for two prompts that are not among them, and measures on the same history whether memory would have warned. Nothing is left behind, and no network is used."),
		Example: "  memtree demo\n  memtree demo --lang zh",
		Args:    a.arguments(0, 0, a.say("no arguments")),
		RunE:    func(c *cobra.Command, _ []string) error { return a.demo(c.Context()) },
	}
}

// A demo prompt is in no fixture.
type demoPrompt struct {
	text  string
	scene tree.Scene
	scope tree.Scope
}

func demoPrompts() []demoPrompt {
	return []demoPrompt{
		{"You are Ana Lopez. Cancel my reservation QX71PD and refund it to the original card; if it is basic economy, upgrade it to economy first and cancel it then.", tree.Scene{Type: "airline"}, tree.Scope{Product: "airline"}},
		{"进入购物车，修改商品数量，检查合计金额是否等于各商品小计之和", tree.Scene{Type: "list", Route: "/cart"}, tree.Scope{Product: "shop"}},
	}
}

func (a *app) demo(ctx context.Context) (err error) {
	if a.json {
		return &usageError{a.say("demo prints a story, no JSON; the commands it shows do")}
	}
	dir, err := os.MkdirTemp("", "memtree-demo-")
	if err != nil {
		return fmt.Errorf("make a temporary folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d := &demonstration{app: a, dir: dir}
	a.store = filepath.Join(dir, "store")
	a.readOnly = false
	a.getenv = func(string) string { return "" } // no model
	for _, part := range []func(context.Context) error{d.intro, d.record, d.tree, d.guide, d.replay, d.next} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// demonstration is a demo under way; it uses the commands as a user would.
type demonstration struct {
	*app
	dir string
}

func demoFiles() []string { return []string{"tau.jsonl", "shop.jsonl"} }

func (d *demonstration) para(text string) error {
	return writeLines(d.stdout, wrap(text, d.width)...)
}

func (d *demonstration) command(line string) error {
	return writeLines(d.stdout, "", d.paint(cyan, "$ memtree "+line))
}

// intro unpacks the fixtures.
func (d *demonstration) intro(context.Context) error {
	for _, name := range demoFiles() {
		b, err := fixtures.Files.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read fixture %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(d.dir, name), b, 0o600); err != nil {
			return err
		}
	}
	return d.para(d.say("tau.jsonl: real runs of tool agents at an airline's and a shop's help desk (τ-bench), each judged right or wrong. shop.jsonl: judged runs of a GUI test agent, in English and Chinese. Everything happens in a temporary folder, without a model and without a network."))
}

// quietly runs a command without its remarks.
func (d *demonstration) quietly(do func() error) error {
	was := d.quiet
	d.quiet = true
	defer func() { d.quiet = was }()
	return do()
}

func (d *demonstration) record(ctx context.Context) error {
	if err := d.command("init && memtree record " + strings.Join(demoFiles(), " ")); err != nil {
		return err
	}
	if err := d.with(ctx, making, func(*memory) error { return nil }); err != nil {
		return err
	}
	files := make([]string, 0, len(demoFiles()))
	for _, name := range demoFiles() {
		files = append(files, filepath.Join(d.dir, name))
	}
	return d.quietly(func() error { return d.app.record(ctx, files, "", false) })
}

// shownLeaves is how many memories the demo lists.
const shownLeaves = 5

func (d *demonstration) tree(ctx context.Context) error {
	if err := d.command(fmt.Sprintf("tree --limit %d", shownLeaves)); err != nil {
		return err
	}
	return d.quietly(func() error { return d.app.tree(ctx, tree.Filter{}, shownLeaves, true) })
}

// guide asks for prompts that were never recorded.
func (d *demonstration) guide(ctx context.Context) error {
	for _, p := range demoPrompts() {
		line := fmt.Sprintf("guide --scene-type %s", p.scene.Type)
		if p.scope.Product != "" {
			line += " --product " + p.scope.Product
		}
		if p.scene.Route != "" {
			line += " --route " + p.scene.Route
		}
		if err := d.command(line + " --prompt \\"); err != nil {
			return err
		}
		if err := writeLines(d.stdout, wrapIndented("'"+p.text+"'", "    ", d.width)...); err != nil {
			return err
		}
		var out bytes.Buffer
		sub := *d.app
		sub.stdout, sub.stderr = &out, io.Discard
		if err := sub.guide(ctx, memtree.Query{Prompt: p.text, Scene: p.scene, Scope: p.scope}, false); err != nil {
			return err
		}
		block := strings.TrimRight(out.String(), "\n")
		if block == "" {
			block = d.say("(nothing fits, so nothing is said)")
		}
		if err := writeLines(d.stdout, wrap(block, d.width)...); err != nil {
			return err
		}
	}
	return nil
}

func wrapIndented(s, indent string, width int) []string {
	lines := wrap(s, width-len(indent))
	for i, l := range lines {
		lines[i] = indent + l
	}
	return lines
}

func (d *demonstration) replay(ctx context.Context) error {
	name := demoFiles()[0]
	if err := d.command("replay " + name); err != nil {
		return err
	}
	return d.app.replay(ctx, []string{filepath.Join(d.dir, name)}, 1, "")
}

func (d *demonstration) next(context.Context) error {
	if err := writeLines(d.stdout, "", d.paint(bold, d.say("Now with your own runs, one JSON object a line:")),
		`  {"prompt": "…", "judgment": "pass", "ground_truth": "fail", "reason": "…"}`, ""); err != nil {
		return err
	}
	t := &table{indent: "  ", columns: []column{{}, {least: 10}}}
	t.add("memtree init", d.say("make a store in .memtree"))
	t.add("memtree record runs.jsonl", d.say("judged runs in, cases out"))
	t.add("memtree guide --prompt \"…\"", d.say("what the next run should be told"))
	t.add("memtree replay runs.jsonl", d.say("would it have warned? your own history"))
	return t.write(d.stdout, &d.screen)
}
