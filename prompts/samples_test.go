package prompts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/prompts"
)

// sample is a prompt whose input has a value in every field, and the texts that it has to contain to make sense.
type sample struct {
	prompt func(s *prompts.Set, lang string) (prompts.Prompt, error)
	must   []string
}

var samples = map[string]sample{
	"analyse": {func(s *prompts.Set, lang string) (prompts.Prompt, error) {
		return s.Analyse(prompts.AnalyseInput{
			Lang: lang, Checks: []prompts.AnalyseCheck{{ID: "sample_check", Line: "the line"}},
			Runs: []prompts.AnalyseRun{{Direction: "false_pass", Where: "the place", Task: "the task",
				Claimed: "the claim", Truth: "the truth", Note: "the note"}},
		})
	}, []string{"sample_check", "the line", "the place", "the task", "the claim", "the truth", "the note", "JSON",
		"misses", "new: ", "instead"}},
	"brief": {func(s *prompts.Set, lang string) (prompts.Prompt, error) {
		return s.Brief(prompts.BriefInput{
			Lang: lang, Memories: []prompts.BriefMemory{{ID: "m1", Line: "the memory"}},
			Tests:   []prompts.BriefTest{{ID: "t1", Product: "the product", Place: "the place", Prompt: "the task"}},
			Refused: []string{"the objection"},
		})
	}, []string{"m1 the memory", "t1 [the product, the place] the task", "the objection", "JSON", "because", "told"}},
	"evolve": {func(s *prompts.Set, lang string) (prompts.Prompt, error) {
		return s.Evolve(prompts.EvolveInput{Lang: lang, Groups: []prompts.EvolveGroup{{
			Direction: "false_pass", Check: "the check", Told: "the lesson", Refused: []string{"the objection"},
			Cases: []prompts.EvolveCase{{Task: "the task", Notes: "the note", Claimed: "the claim", Truth: "the ground truth"}},
		}}})
	}, []string{"the task", "the ground truth", "the note", "the check", "the lesson", "the objection", "JSON", "apart",
		"mistake"}},
	"facts": {func(s *prompts.Set, lang string) (prompts.Prompt, error) {
		return s.Facts(prompts.FactsInput{
			Lang: lang, Runs: []prompts.FactsRun{{Page: "the page", Task: "the task", Note: "the note"}},
		})
	}, []string{"the page", "the task", "the note", "JSON", "facts", "quote"}},
	"guidance": {func(s *prompts.Set, lang string) (prompts.Prompt, error) {
		return s.Guidance(prompts.GuidanceInput{
			Lang: lang, Open: []string{"the open check"}, Facts: []string{"the fact"}, Known: []string{"the product's fact"},
			Strategies: []prompts.Hint{{When: "the condition", Check: "the strategy", NotWhen: "the exception",
				Mistake: "the mistake", Found: "the finding"}},
			Experiences: []prompts.Hint{{Check: "the experience"}}, Taught: []prompts.Hint{{Check: "the lesson"}},
			Cases: []prompts.Hint{{Check: "the case"}},
		})
	}, []string{"the fact", "the product's fact", "the condition", "the strategy", "the exception", "the finding",
		"the experience", "the case"}},
	"judge": {func(s *prompts.Set, lang string) (prompts.Prompt, error) {
		return s.Judge(prompts.JudgeInput{
			Lang: lang, Prompt: "the task", Judgment: "the judgment", GroundTruth: "the ground truth",
		})
	}, []string{"the judgment", "the ground truth", "JSON", "correct", "direction"}},
	"look": {func(s *prompts.Set, lang string) (prompts.Prompt, error) {
		return s.Look(prompts.LookInput{
			Lang: lang, Task: "the task", Evidence: "the evidence", Claim: "the verdict", Before: []string{"the memory"},
		})
	}, []string{"the task", "the evidence", "the verdict", "the memory", "JSON", "points", "against", "holds", "unseen"}},
	"names": {func(s *prompts.Set, lang string) (prompts.Prompt, error) {
		return s.Names(prompts.NamesInput{
			Lang: lang, Elements: []prompts.NamesElement{{Page: "/page", Role: "button", Name: "the name"}},
		})
	}, []string{"e1 /page | button | the name", "JSON", "names"}},
	"repair": {func(s *prompts.Set, lang string) (prompts.Prompt, error) {
		return s.Repair(prompts.RepairInput{
			Lang: lang, Task: "the task", Answer: "the answer", Problems: []string{"the problem"},
		})
	}, []string{"the task", "the problem", "JSON"}},
	"second": {func(s *prompts.Set, lang string) (prompts.Prompt, error) {
		return s.Second(prompts.SecondInput{Lang: lang, Reasons: []string{"the reason"}})
	}, []string{"the reason"}},
	"survey": {func(s *prompts.Set, lang string) (prompts.Prompt, error) {
		return s.Survey(prompts.SurveyInput{
			Lang: lang, Direction: "false_pass", Checks: []string{"the check"}, Lines: []string{"the cause"},
		})
	}, []string{"k1 the check", "1 the cause", "JSON", "groups", "lines"}},
}

// Every field of an input comes through, in both languages.
func TestSamples(t *testing.T) {
	for name, s := range samples {
		for _, lang := range []string{"en", "zh"} {
			p, err := s.prompt(prompts.Load(), lang)
			require.NoError(t, err)
			require.Equal(t, name+"."+lang, p.ID)
			require.Regexp(t, `^[1-9]\d*\+[0-9a-f]{8}$`, p.Version)
			for _, must := range s.must {
				require.Contains(t, p.System+p.Text, must, p.ID)
			}
		}
	}
}
