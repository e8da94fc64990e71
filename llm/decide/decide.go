// Package decide asks models that answer typed questions with probabilities instead of text: yes or no, one of several
// options, or a level of a scale. Three forms of servers are known by the end of their address: /systemone (a state and
// named questions), /decisions (an input and a list of questions), and /chat/completions with log-probabilities of the
// first token, for any chat model.
//
// A probability is what the model believes. Nothing in memtree takes it for one before it is calibrated on own labels.
package decide

import (
	"context"

	"github.com/memtree/memtree/llm"
)

// AnswerForm is the form of an answer.
type AnswerForm string

// The kinds of questions.
const (
	Yes    AnswerForm = "yes"    // the probability that it is so
	Choice AnswerForm = "choice" // one of Options
	Score  AnswerForm = "score"  // a level of Options, from low to high
)

// DecisionQuestion is one question about an input.
type DecisionQuestion struct {
	Name    string // unique in a request: letters, digits and _
	Kind    AnswerForm
	Ask     string
	Options []string // of Choice and Score, 2 to 10
}

// Prediction is the answer to one question.
type Prediction struct {
	P       float64   // of Yes, 0 to 1
	Best    int       // of Choice and Score: index of the most probable option
	Options []float64 // of Choice and Score: probability of each option; they sum to 1
}

// Answers are the answers by the names of their questions. A question that the model refused has none.
type Answers struct {
	Of    map[string]Prediction
	Model string
	Usage llm.Usage
}

// Decider answers questions about an input. Errors are *llm.Error. Implementations are safe for concurrent use.
type Decider interface {
	Decide(ctx context.Context, input string, questions []DecisionQuestion) (Answers, error)
}
