package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/tape"
	"github.com/memtree/memtree/llm"
)

func (a *app) qualityCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "quality analyse|lessons [flags]",
		Short: a.say("Rules and model side by side, on runs that people labelled"),
		Args:  a.arguments(0, 0, a.say("analyse or lessons after it")),
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.qualityAnalyseCommand(), a.qualityLessonsCommand())
	return c
}

func (a *app) qualityAnalyseCommand() *cobra.Command {
	field, seed := "", uint64(1)
	c := &cobra.Command{
		Use:   "analyse FILE --labels FIELD [flags]",
		Short: a.say("How often rules and model find the labelled error type"),
		Long: a.say(`Reads judged runs that carry a label, one JSON object a line or an array, and has the rules, and the
model if one is set, read each wrong run. It says how often they find the labelled error type, how
many answers of the model could not be used, how long a case took and what it cost. Where the model
gave no answer that can be used the rules' answer counts, as it would in a record.

FIELD is a field of the run, or of its "labels"; a dot goes into an object, such as labels.category.
A label is an error type: by its id, its name in either language, or the id of one of its checks.
Any other label is a class of its own, which nobody can find.

It works beside your store: nothing in it is read or changed, but for the checks of your team in its
memtree.yaml.`),
		Example: `  memtree quality analyse runs.jsonl --labels category
  memtree quality analyse runs.jsonl --labels errorType --max-calls 50`,
		Args: a.arguments(1, 1, a.say("one file")),
		RunE: func(c *cobra.Command, args []string) error {
			if field == "" {
				return &usageError{a.say("say which field of a run is its label, such as --labels category")}
			}
			return a.qualityAnalyse(c.Context(), args[0], field, seed)
		},
	}
	c.Flags().StringVar(&field, "labels", "", a.say("the field that holds the label"))
	c.Flags().Uint64Var(&seed, "seed", 1, a.say("seed of the interval of macro-F1"))
	a.boundFlags(c)
	return c
}

func (a *app) qualityLessonsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "lessons DIR [flags]",
		Short: a.say("What rules and model learn of a labelled suite"),
		Long: a.say(`Makes a tree of the runs in a folder by the rules, and one more by the model if one is set, or by
what was recorded of one if the folder has cassettes/ in it. It says how good the trees are by the
labels, and prints their lessons beside each other.

  DIR/runs.jsonl     judged runs; labels.cause says what was not done
  DIR/queries.jsonl  tasks to come; expect has the causes to warn of
  DIR/cassettes/     recordings, made with MEMTREE_LLM_RECORD=DIR/cassettes

  cover      share of the cases that a lesson stands on
  purity     share of these with the most frequent cause of their lesson
  causes     how many of the causes of four cases and more have a lesson
  typed      share of the cases of which a check is known
  agree      share of these with the most frequent cause of their check
  warned     share of the tasks with causes to warn of that are told one
  idle       share of the other tasks that are told anything
  precision  share of the memories given that are of an expected cause

It works on trees in memory, at the time of the last run, and changes nothing of yours.`),
		Example: `  memtree quality lessons suite/
  memtree quality lessons suite/ --json`,
		Args: a.arguments(1, 1, a.say("one folder")),
		RunE: func(c *cobra.Command, args []string) error { return a.qualityLessons(c.Context(), args[0]) },
	}
	a.boundFlags(c)
	return c
}

// reader is who reads runs and writes lessons: the rules, a model, or what was recorded of one.
type reader struct {
	by    string        // rules, model or recordings
	model string        // its name; "" for the rules
	of    llm.Generator // nil for the rules
	tape  *tape.Player  // what of plays; nil unless by is recordings
}

// The readers.
const (
	byRules      = "rules"
	byModel      = "model"
	byRecordings = "recordings"
)

// readers returns the rules, and the model if one is set. Answers that are played by the variable count as recordings.
func (a *app) readers() ([]reader, error) {
	all := []reader{{by: byRules}}
	g, err := a.generator(writing)
	if err != nil || g == nil {
		return all, err
	}
	if p := a.spending.player; p != nil {
		return append(all, played(p, g)), nil
	}
	return append(all, reader{by: byModel, model: a.spending.model, of: llm.NewHalt(g, time.Now)}), nil
}

// played returns the reader of recordings, and what asks them.
func played(p *tape.Player, of llm.Generator) reader {
	return reader{by: byRecordings, model: strings.Join(p.Models(), ", "), of: of, tape: p}
}

// readerName names a reader for people.
func (a *app) readerName(r *reader) string {
	switch r.by {
	case byRules:
		return a.say("rules")
	case byRecordings:
		return a.say("%s, recorded", r.model)
	}
	return r.model
}
