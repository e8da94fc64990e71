package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
)

// deepevalCase is a test case of DeepEval with the results of its metrics.
type deepevalCase struct {
	Name     string `json:"name"`
	Input    string `json:"input"`
	Actual   string `json:"actualOutput"`
	Expected string `json:"expectedOutput"`
	Scenario string `json:"scenario"` // of a conversation
	Turns    []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"turns"`
	Metrics []deepevalMetric `json:"metricsData"`
}

type deepevalMetric struct {
	Name    string `json:"name"`
	Success *bool  `json:"success"`
	Reason  string `json:"reason"`
	Model   string `json:"evaluationModel"`
	Error   string `json:"error"`
}

// deepeval reads a test run of DeepEval. It has neither a name nor a time, so the content of a case identifies it.
func (d *fileDecoder) deepeval(j *jsonReader) error {
	return j.object(func(key string) error {
		if key != "testCases" && key != "conversationalTestCases" {
			return j.skip()
		}
		n := 0
		return j.array(func() error {
			line := j.line
			var whole json.RawMessage
			if err := j.value(&whole); err != nil {
				return d.unusable(err, key)
			}
			var c deepevalCase
			if json.Unmarshal(whole, &c) != nil {
				return d.bad(line, key, "is no test case of DeepEval")
			}
			sum := sha256.Sum256(whole)
			n++
			return d.deepevalTests(line, hex.EncodeToString(sum[:8])+"-"+strconv.Itoa(n), &c)
		})
	})
}

// deepevalTests returns the verdicts on a case. If the actual and the expected output are both verdicts, the producer
// of the output is a judge with a known truth; otherwise each metric is a judge, and its truth is unknown.
func (d *fileDecoder) deepevalTests(line int, id string, c *deepevalCase) error {
	base := test{line: line, title: cmp.Or(c.Name, firstLine(c.Input), firstLine(c.Scenario)),
		prompt: cmp.Or(c.Input, c.Scenario), observation: c.Actual}
	for _, t := range c.Turns {
		base.prompt = cmp.Or(base.prompt, t.Content)
		base.observation = strings.TrimSpace(base.observation + "\n" + t.Role + ": " + cut(t.Content, longestSeen))
	}
	if len(c.Metrics) == 0 {
		return d.add(&base)
	}
	for _, m := range c.Metrics {
		t := base
		t.grader, t.id = m.Name, id+"|"+m.Name
		t.same = t.id
		t.agent.Name, t.agent.Model = fitName(m.Name), fitName(m.Model)
		if m.Error == "" && m.Success != nil {
			if judges(c.Actual, c.Expected, *m.Success) && m.Model == "" { // it was compared, not graded
				t.agent.Name, t.judgment, t.truth, t.observation = "", c.Actual, c.Expected, ""
				return d.add(&t)
			}
			t.judgment = graded(*m.Success, m.Reason)
		}
		if err := d.add(&t); err != nil {
			return err
		}
	}
	return nil
}
