package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memtree/memtree/internal/byhand"
)

// readByHand QUESTIONS ANSWERS answers questions like a reader who knows the story: the cases of loading fit the test
// with the suppliers. For the other test it quotes a text that does not occur.
func readByHand(ts *testscript.TestScript, _ bool, args []string) {
	line := regexp.MustCompile(`(?m)^([mt]\d+) .*$`)
	var out []string
	for l := range strings.Lines(ts.ReadFile(args[0])) {
		var q byhand.PendingRequest
		ts.Check(json.Unmarshal([]byte(l), &q))
		id := func(word string) string {
			for _, m := range line.FindAllStringSubmatch(q.Prompt, -1) {
				if strings.Contains(m[0], word) {
					return m[1]
				}
			}
			return ""
		}
		answer, err := json.Marshal(map[string]any{"told": []map[string]string{
			{"t": id("Six suppliers"), "m": id("loading"), "because": "Six suppliers answer one after the other",
				"say": "Wait until all six suppliers have answered, then count the cars."},
			{"t": id("Save the new address"), "m": id("toast"), "because": "three lounges", "say": "Read it."},
		}})
		ts.Check(err)
		a, err := json.Marshal(byhand.Reply{ID: q.ID, Answer: answer})
		ts.Check(err)
		out = append(out, string(a)+"\n")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Join(out, "")), 0o600))
}
