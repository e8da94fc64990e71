package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/tree"
)

// promptfooResult is the output of one prompt on one test case, with its grading.
type promptfooResult struct {
	ID     string `json:"id"`
	Prompt struct {
		Raw string `json:"raw"`
	} `json:"prompt"`
	Provider struct {
		ID string `json:"id"`
	} `json:"provider"`
	Response *struct {
		Output json.RawMessage `json:"output"`
	} `json:"response"`
	Success       bool `json:"success"`
	FailureReason int  `json:"failureReason"` // 2: an error
	TestCase      struct {
		Description string `json:"description"`
	} `json:"testCase"`
	Grading *struct {
		Reason     string               `json:"reason"`
		Components []promptfooComponent `json:"componentResults"`
	} `json:"gradingResult"`
}

// promptfooComponent is the result of one assertion.
type promptfooComponent struct {
	Pass      bool   `json:"pass"`
	Reason    string `json:"reason"`
	Assertion struct {
		Type  string          `json:"type"`
		Value json.RawMessage `json:"value"`
	} `json:"assertion"`
}

// promptfoo reads the output of promptfoo eval.
func (d *fileDecoder) promptfoo(j *jsonReader) error {
	eval := ""
	one := func() error {
		line := j.line
		var r promptfooResult
		if err := j.value(&r); err != nil {
			return d.unusable(err, "results")
		}
		return d.promptfooTests(line, eval, &r)
	}
	return j.object(func(key string) (err error) {
		switch key {
		case "evalId":
			eval, err = j.text(longestName)
			return err
		case "results":
			if c, err := j.peek(); err == nil && c == '[' { // of older versions
				return j.array(one)
			}
			return j.object(func(key string) error {
				if key == "results" {
					return j.array(one)
				}
				return j.skip()
			})
		}
		return j.skip()
	})
}

// promptfooTests returns the verdicts on a result. If the output and its expected value are both verdicts, the prompt
// is a judge. Otherwise the models that graded it are, and their truth is unknown, unless a person graded it. If no
// model graded it, the result of the assertions is the verdict.
func (d *fileDecoder) promptfooTests(line int, eval string, r *promptfooResult) error {
	output := ""
	if r.Response != nil {
		output = tree.Raw(r.Response.Output).Text()
	}
	base := test{line: line, id: r.ID, run: eval, title: firstLine(r.TestCase.Description), prompt: r.Prompt.Raw,
		observation: output}
	if base.title == "" {
		base.title = firstLine(r.Prompt.Raw)
	}
	if r.Grading == nil || r.FailureReason == 2 {
		return d.add(&base)
	}
	graders, human := []*promptfooComponent{}, (*promptfooComponent)(nil)
	for i := range r.Grading.Components {
		c := &r.Grading.Components[i]
		wanted := tree.Raw(c.Assertion.Value).Text()
		switch {
		case c.Assertion.Type == "equals" && judges(output, wanted, c.Pass):
			t := base
			t.grader, t.judgment, t.truth, t.observation = r.ID, output, wanted, ""
			t.agent.Model = fitName(r.Provider.ID)
			return d.add(&t)
		case c.Assertion.Type == "human":
			human = c
		case modelGraded(c.Assertion.Type):
			graders = append(graders, c)
		}
	}
	if len(graders) == 0 {
		base.grader, base.verdict = r.ID, verdictOf(r.Success)
		if !r.Success {
			base.judgment = graded(false, r.Grading.Reason)
		}
		return d.add(&base)
	}
	for i, c := range graders {
		t := base
		t.grader = fmt.Sprintf("%s#%d", r.ID, i)
		t.prompt = strings.TrimSpace(tree.Raw(c.Assertion.Value).Text() + "\n" + r.Prompt.Raw)
		t.judgment, t.agent.Name = graded(c.Pass, c.Reason), fitName(c.Assertion.Type)
		if human != nil && len(graders) == 1 {
			t.truth, t.reason = string(verdictOf(human.Pass)), human.Reason
		}
		if err := d.add(&t); err != nil {
			return err
		}
	}
	return nil
}

// judges reports whether the output and the expected value are both verdicts, so that its producer is a judge with a
// known truth. The result of their comparison must not contradict that.
func judges(produced, expected string, equal bool) bool {
	p, e := judgment.Word(produced), judgment.Word(expected)
	return p != judgment.Unread && e != judgment.Unread && (p == e) == equal
}

// modelGraded reports whether a model grades such an assertion.
func modelGraded(kind string) bool {
	switch strings.TrimPrefix(kind, "not-") {
	case "llm-rubric", "model-graded-closedqa", "model-graded-factuality", "factuality", "g-eval", "answer-relevance",
		"context-faithfulness", "context-recall", "context-relevance", "conversation-relevance", "agent-rubric",
		"search-rubric", "trajectory:goal-success":
		return true
	}
	return false
}

// graded returns the judgment of a grader with its reason.
func graded(pass bool, reason string) any {
	if strings.TrimSpace(reason) == "" {
		return string(verdictOf(pass))
	}
	return map[string]string{"verdict": string(verdictOf(pass)), "reason": cut(reason, longestSeen)}
}

func verdictOf(pass bool) verdict {
	if pass {
		return passed
	}
	return failed
}
