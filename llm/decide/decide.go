// Package decide asks models that answer typed questions with probabilities instead of text: yes or no, one of several
// options, or a level of a scale. It knows three kinds of servers by the end of their address: /systemone (a state and
// named questions), /decisions (an input and a list of questions), and /chat/completions with log-probabilities of the
// first token, for any chat model.
//
// A probability is what the model believes. memtree treats it as one only after calibration on a team's own labels.
package decide

import (
	"context"

	"github.com/memtree/memtree/llm"
)

// answerForm is the form of the answer to a question.
type answerForm string

// The forms of answers.
const (
	Yes    answerForm = "yes"    // the answer is the probability of yes
	Choice answerForm = "choice" // the answer is one of the options
	Score  answerForm = "score"  // the answer is one of the options, which are levels from low to high
)

// DecisionQuestion is one question about the input of Decider.Decide.
type DecisionQuestion struct {
	Name    string // unique in a request: letters, digits and _
	Kind    answerForm
	Ask     string   // the question, as text
	Options []string // for Choice and Score, 2 to 10
}

// Prediction is a model's answer to one question, as probabilities.
type Prediction struct {
	P       float64   // for Yes: the probability of yes, 0 to 1
	Best    int       // for Choice and Score: index of the most probable option
	Options []float64 // for Choice and Score: probability of each option; their sum is 1, or 0 if the model chose none
}

// Answers holds the answers to the questions of one call of Decider.Decide.
type Answers struct {
	Of    map[string]Prediction // by the name of the question; a question without an answer is missing
	Model string                // name of the model that answered
	Usage llm.Usage
}

// Decider is a model that answers typed questions about an input with probabilities. Errors are *llm.Error.
// Implementations are safe for concurrent use.
type Decider interface {
	Decide(ctx context.Context, input string, questions []DecisionQuestion) (Answers, error)
}
