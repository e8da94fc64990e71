package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/tree"
)

// benchCase is a case of the GUI benchmark, as its test-case-config.json has it. Its results do not repeat it.
type benchCase struct {
	ID     string          `json:"case_id"`
	Scene  string          `json:"ui_scene_id"`
	Route  string          `json:"route_path"`
	Prompt string          `json:"prompt"`
	Truth  json.RawMessage `json:"ground_truth"`
}

// benchResult is an agent's result for a case, as in raw-results.json.
type benchResult struct {
	benchCase
	CaseID  string `json:"caseId"`
	Agent   string `json:"agentName"`
	Success bool   `json:"success"`
	Started string `json:"startedAt"`
	Result  *struct {
		HasDefect bool `json:"hasDefect"`
		Defects   []struct {
			Description string `json:"description"`
		} `json:"defects"`
		RawOutput json.RawMessage `json:"rawOutput"`
	} `json:"result"`
}

// benchOutput is the output of the benchmark's Midscene agent. A model compared it with the truth, and the hasDefect
// beside it is the truth, not the agent's verdict.
type benchOutput struct {
	Output string `json:"output"`
	Error  string `json:"error"`
	Used   string `json:"evaluationUsed"` // llm, or fallback
	Said   *struct {
		Correct  *bool  `json:"isAgentCorrect"`
		Analysis string `json:"matchingAnalysis"`
	} `json:"llmEvaluation"`
}

// mostCaseBytes bounds the stored cases and results whose cases were not read yet.
const mostCaseBytes = 32 << 20

// benchOpen is a result whose case was not read yet.
type benchOpen struct {
	file   string
	line   int
	result benchResult
}

// uibench reads cases or results of the GUI benchmark, arrays both. They can come in any order.
func (d *fileDecoder) uibench(j *jsonReader) error {
	return j.array(func() error {
		line := j.line
		var r benchResult
		if err := j.value(&r); err != nil {
			return d.unusable(err, "")
		}
		rd := d.rd
		switch {
		case r.CaseID == "" && r.ID == "":
			return d.bad(line, "caseId", "is missing; is this raw-results.json or test-case-config.json?")
		case r.CaseID == "" && len(rd.cases) < mostOpen && rd.caseBytes < mostCaseBytes:
			d.met = true
			rd.caseBytes += len(r.Prompt) + len(r.Truth) + 200
			rd.cases[r.ID] = r.benchCase
			return nil
		case r.CaseID == "":
			return d.bad(line, "case_id", "is of a case too many")
		}
		if c, ok := rd.cases[r.CaseID]; ok {
			return d.add(r.test(line, &c))
		}
		if len(rd.open) == mostOpen || rd.caseBytes >= mostCaseBytes {
			return d.unknownCase(&benchOpen{d.name, line, r})
		}
		d.met = true
		rd.open = append(rd.open, benchOpen{d.name, line, r})
		if r.Result != nil {
			rd.caseBytes += len(r.Result.RawOutput) + 500
		}
		return nil
	})
}

// benchLate yields the results whose cases came later.
func (d *fileDecoder) benchLate() error {
	for i := range d.rd.open {
		o := &d.rd.open[i]
		c, ok := d.rd.cases[o.result.CaseID]
		d.name = o.file
		err := error(nil)
		if ok {
			err = d.add(o.result.test(o.line, &c))
		} else {
			err = d.unknownCase(o)
		}
		if err != nil {
			return err
		}
	}
	d.rd.open = nil
	return nil
}

func (d *fileDecoder) unknownCase(o *benchOpen) error {
	return d.give(tree.Evaluation{}, &ingest.LineError{File: o.file, Line: o.line, Field: "caseId",
		Problem: fmt.Sprintf("is %s, of which no prompt is known; give test-case-config.json too", cut(o.result.CaseID, 60))})
}

// test returns a result as a run of a judge, with the truth of the case. An interrupted agent gave no verdict.
func (r *benchResult) test(line int, c *benchCase) *test {
	t := &test{line: line, title: c.ID, prompt: c.Prompt, scene: c.Scene, route: c.Route, at: junitTime(r.Started),
		truth: tree.Raw(c.Truth), agent: tree.Agent{Name: fitName(r.Agent)}}
	t.id = strings.Join(present(c.ID, r.Agent, t.at.Format(time.RFC3339Nano)), "|")
	t.same = t.id
	if r.Result == nil || !r.Success || tree.Raw(c.Truth).Null() {
		return t
	}
	var out benchOutput
	if json.Unmarshal(r.Result.RawOutput, &out) == nil && out.Said != nil {
		said := strings.TrimSpace(out.Output + "\n" + out.Error)
		if t.judgment = said; said == "" {
			t.judgment = nil
			return t
		}
		if out.Used == "llm" {
			t.correct, t.reason = out.Said.Correct, out.Said.Analysis
		}
		return t
	}
	found := []string{}
	for _, x := range r.Result.Defects {
		found = append(found, cut(x.Description, longestSeen))
	}
	t.judgment = map[string]any{"has_defect": r.Result.HasDefect, "defect_details": found}
	return t
}
