package report

import (
	"encoding/json"
	"strings"

	"github.com/memtree/memtree/tree"
)

// midsceneCase is a case of Midscene's test runner, with its attempts.
type midsceneCase struct {
	Name     string `json:"name"`
	Status   string `json:"status"` // success, failed or not-run
	Attempts []struct {
		ID       string         `json:"attemptId"`
		Started  string         `json:"startedAt"`
		Before   []midsceneStep `json:"beforeEach"`
		Steps    []midsceneStep `json:"steps"`
		After    []midsceneStep `json:"afterEach"`
		Teardown []midsceneWhy  `json:"teardownErrors"`
	} `json:"attempts"`
}

// midsceneStep is one step of a case: the instruction to an agent, and its error if it failed.
type midsceneStep struct {
	Node  string `json:"node"`
	Title string `json:"title"`
	Input struct {
		Value json.RawMessage `json:"value"`
	} `json:"input"`
	Error *midsceneWhy `json:"error"`
}

type midsceneWhy struct {
	Message string `json:"message"`
}

// midsceneProject reads a project of a test run: its documents, and the cases of each. Of a page it reads only the
// cases without agent steps: the verdicts of an agent are in the page too, and would be read twice.
func (d *fileDecoder) midsceneProject(j *jsonReader, run string, page bool) error {
	project := ""
	return j.object(func(key string) (err error) {
		switch key {
		case "name":
			project, err = j.text(longestName)
			return err
		case "documents":
			return j.array(func() error { return d.midsceneDocument(j, run, project, page) })
		}
		return j.skip()
	})
}

func (d *fileDecoder) midsceneDocument(j *jsonReader, run, project string, page bool) error {
	source := ""
	return j.object(func(key string) (err error) {
		switch key {
		case "sourcePath":
			source, err = j.text(longestPrompt)
			return err
		case "cases":
			return j.array(func() error {
				line := j.line
				var c midsceneCase
				if err := j.value(&c); err != nil {
					return d.unusable(err, "projects.documents.cases")
				}
				d.met = true
				if page && c.askedAgent() {
					return nil
				}
				return d.add(c.test(line, run, project, source))
			})
		}
		return j.skip()
	})
}

// askedAgent reports whether a step of the case is an agent's, so that the page has its verdict.
func (c *midsceneCase) askedAgent() bool {
	for i := range c.Attempts {
		for _, s := range c.Attempts[i].Steps {
			if strings.HasPrefix(s.Node, "ai") {
				return true
			}
		}
	}
	return false
}

// test returns the result of the attempts. Its prompt is made of the steps.
func (c *midsceneCase) test(line int, run, project, source string) *test {
	t := &test{line: line, run: run, project: project, place: []string{strings.ReplaceAll(source, `\`, "/")},
		title: plainMidscene(c.Name), agent: tree.Agent{Name: "midscene"}, attempt: len(c.Attempts)}
	switch c.Status {
	case "success":
		t.verdict = passed
	case "failed":
		t.verdict = failed
	}
	if len(c.Attempts) == 0 {
		return t
	}
	last := &c.Attempts[len(c.Attempts)-1]
	t.at = junitTime(last.Started)
	asked, why := []string{c.Name}, []string{}
	for _, s := range last.Steps {
		asked = append(asked, strings.TrimSpace(s.Node+" "+firstText(s.Title, s.Input.Value)))
		addStep(&t.steps, plainMidscene(asked[len(asked)-1]), s.Error != nil)
	}
	for _, steps := range [][]midsceneStep{last.Before, last.Steps, last.After} {
		for _, s := range steps {
			if s.Error != nil {
				why = append(why, s.Error.Message)
			}
		}
	}
	for _, x := range last.Teardown {
		why = append(why, x.Message)
	}
	t.prompt, t.observation = plainMidscene(strings.Join(asked, "\n")), plainMidscene(strings.Join(why, "\n"))
	return t
}

// firstText returns a title, or else the prompt in the input of a step.
func firstText(title string, input json.RawMessage) string {
	var in struct {
		Prompt string `json:"prompt"`
	}
	if title == "" && json.Unmarshal(input, &in) == nil {
		return in.Prompt
	}
	return title
}
