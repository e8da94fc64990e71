package report

import (
	"strings"

	"github.com/memtree/memtree/tree"
)

// midsceneScript is a script in the summary that Midscene's runner of YAML scripts writes. Older runners write neither
// resultType nor attempts.
type midsceneScript struct {
	Script   string `json:"script"`
	Success  bool   `json:"success"`
	Type     string `json:"resultType"` // success, failed, partialFailed, notExecuted
	Error    string `json:"error"`
	Attempts []struct {
		Attempt int `json:"attempt"`
	} `json:"attempts"`
}

// midsceneSummary reads the head of a summary and returns the name of its run: the time at which it was written, in
// the format of the machine that wrote it.
func (d *fileDecoder) midsceneSummary(j *jsonReader) (run string, err error) {
	err = j.object(func(key string) (err error) {
		if key == "generatedAt" {
			run, err = j.text(longestName)
			return err
		}
		return j.skip()
	})
	return run, err
}

// midsceneScript reads the result of a script: whether all of its steps and assertions held.
func (d *fileDecoder) midsceneScript(j *jsonReader, run string) error {
	line := j.line
	var s midsceneScript
	if err := j.value(&s); err != nil {
		return d.unusable(err, "results")
	}
	if s.Script == "" {
		return d.bad(line, "results.script", "is missing; is this a summary of Midscene's runner?")
	}
	name := strings.ReplaceAll(s.Script, `\`, "/")
	for strings.HasPrefix(name, "../") { // it is relative to the place of the summary
		name = name[len("../"):]
	}
	t := &test{line: line, run: run, title: name, verdict: verdictOf(s.Success),
		observation: s.Error, agent: tree.Agent{Name: "midscene"}}
	for _, a := range s.Attempts {
		t.attempt = max(t.attempt, a.Attempt)
	}
	why := strings.Fields(s.Error) // older runners report a script that was not run with an error that contains this
	if s.Type == "notExecuted" || s.Type == "" && !s.Success && len(why) > 1 && why[0] == "Not" && why[1] == "executed" {
		t.verdict = skipped
	}
	return d.add(t)
}
