package ingest_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/memtree/memtree/ingest"
)

func ExampleRead() {
	file := strings.NewReader(`{"prompt": "check the form", "judgment": "pass", "ui_scene_id": "SCENE_001"}
{"prompt": "check the form", "judgment": "pass", "route_path": 42}
{"prompt": "check the list", "agentJudgment": {"verdict": "fail"}}
`)
	for e, err := range ingest.Read("runs.jsonl", file) {
		var bad *ingest.LineError
		switch {
		case errors.As(err, &bad):
			fmt.Println(bad) // and go on
		case err != nil:
			fmt.Println("stop:", err)
			return
		default:
			fmt.Println(e.Prompt, e.Scene.ID, string(e.Judgment))
		}
	}
	// Output:
	// check the form SCENE_001 "pass"
	// runs.jsonl:2: route_path is a number; write it as a string
	// check the list  {"verdict": "fail"}
}
