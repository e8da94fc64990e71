package decide

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/memtree/memtree/llm"
)

// usage is what a reply counts, in either spelling.
type usage struct {
	In       int `json:"input_tokens"`
	Out      int `json:"output_tokens"`
	Prompt   int `json:"prompt_tokens"`
	Complete int `json:"completion_tokens"`
}

func (u usage) of() llm.Usage {
	return llm.Usage{InputTokens: max(0, u.In+u.Prompt), OutputTokens: max(0, u.Out+u.Complete)}
}

// systemOne is the form of /systemone: a state and named questions.
type systemOne struct{}

func (systemOne) request(model, input string, questions []DecisionQuestion) any {
	of := map[string]any{}
	for _, q := range questions {
		one := map[string]any{"type": string(q.Kind), "instructions": q.Ask}
		switch q.Kind {
		case Yes:
			one["type"] = "noul"
		case Choice:
			options := map[string]any{}
			for _, o := range q.Options {
				options[o] = nil
			}
			one["criteria"] = options
		case Score:
			one["criteria"] = q.Options
		}
		of[q.Name] = one
	}
	return map[string]any{"model": model, "state": input, "questions": of}
}

func (systemOne) read(reply []byte, questions []DecisionQuestion) (Answers, error) {
	var r struct {
		Model   string `json:"model"`
		Answers map[string]struct {
			Noul          *float64        `json:"noul"`
			Probabilities json.RawMessage `json:"probabilities"`
		} `json:"answers"`
		Usage usage `json:"usage"`
	}
	if err := json.Unmarshal(reply, &r); err != nil || r.Answers == nil {
		return Answers{}, errors.New("the reply has no answers")
	}
	out := Answers{Of: map[string]Prediction{}, Model: r.Model, Usage: r.Usage.of()}
	for _, q := range questions {
		a, ok := r.Answers[q.Name]
		switch {
		case !ok:
		case q.Kind == Yes && a.Noul != nil:
			out.Of[q.Name] = Prediction{P: *a.Noul}
		case q.Kind == Yes:
			return out, fmt.Errorf("the answer to %s has no probability", q.Name)
		default:
			by := map[string]float64{}
			var list []float64
			if json.Unmarshal(a.Probabilities, &by) != nil && json.Unmarshal(a.Probabilities, &list) != nil {
				return out, fmt.Errorf("the answer to %s has no probabilities", q.Name)
			}
			out.Of[q.Name] = chosen(q.Options, func(i int, option string) float64 {
				if i < len(list) {
					return list[i]
				}
				if p, ok := by[option]; ok {
					return p
				}
				return by[strconv.Itoa(i)]
			})
		}
	}
	return out, nil
}

// decisions is the form of /decisions: an input and a list of questions.
type decisions struct{}

func (decisions) request(model, input string, questions []DecisionQuestion) any {
	type option struct {
		Value string `json:"value,omitempty"`
		Label string `json:"label,omitempty"`
	}
	type question struct {
		Type         string   `json:"type"`
		Name         string   `json:"name"`
		Instructions string   `json:"instructions"`
		Choices      []option `json:"choices,omitempty"`
		Levels       []option `json:"levels,omitempty"`
	}
	list := make([]question, 0, len(questions))
	for _, q := range questions {
		one := question{Type: string(q.Kind), Name: q.Name, Instructions: q.Ask}
		switch q.Kind {
		case Yes:
			one.Type = "predicate"
		case Choice:
			for _, o := range q.Options {
				one.Choices = append(one.Choices, option{Value: o})
			}
		case Score:
			for _, o := range q.Options {
				one.Levels = append(one.Levels, option{Label: o})
			}
		}
		list = append(list, one)
	}
	return map[string]any{"model": model, "input": input, "questions": list}
}

func (decisions) read(reply []byte, questions []DecisionQuestion) (Answers, error) {
	var r struct {
		Model   string `json:"model"`
		Answers []struct {
			Type          string   `json:"type"`
			Name          string   `json:"name"`
			Probability   *float64 `json:"probability"`
			Probabilities []struct {
				Value       json.RawMessage `json:"value"`
				Label       string          `json:"label"`
				Probability float64         `json:"probability"`
			} `json:"probabilities"`
		} `json:"answers"`
		Usage usage `json:"usage"`
	}
	if err := json.Unmarshal(reply, &r); err != nil || r.Answers == nil {
		return Answers{}, errors.New("the reply has no answers")
	}
	out := Answers{Of: map[string]Prediction{}, Model: r.Model, Usage: r.Usage.of()}
	for _, a := range r.Answers {
		for _, q := range questions {
			switch {
			case q.Name != a.Name || a.Type == "refusal":
			case q.Kind == Yes && a.Probability != nil:
				out.Of[q.Name] = Prediction{P: *a.Probability}
			case q.Kind == Yes:
				return out, fmt.Errorf("the answer to %s has no probability", q.Name)
			default:
				out.Of[q.Name] = chosen(q.Options, func(i int, option string) float64 {
					for _, p := range a.Probabilities {
						v := strings.Trim(string(p.Value), `"`)
						if p.Label == option || v == option || p.Label == "" && v == strconv.Itoa(i) {
							return p.Probability
						}
					}
					return 0
				})
			}
		}
	}
	return out, nil
}

// chat is the form of /chat/completions: one question a call, answered by the probabilities of the first token.
type chat struct{}

// labels begin the options of a question to a chat model.
const labels = "ABCDEFGHIJ"

func (chat) request(model, input string, questions []DecisionQuestion) any {
	q := questions[0]
	ask := q.Ask + "\nAnswer with one word: yes or no."
	if q.Kind != Yes {
		var b strings.Builder
		for i, o := range q.Options[:min(len(q.Options), len(labels))] {
			fmt.Fprintf(&b, "\n%c: %s", labels[i], o)
		}
		ask = q.Ask + b.String() + "\nAnswer with one letter."
	}
	return map[string]any{
		"model": model, "max_tokens": 1, "temperature": 0, "logprobs": true, "top_logprobs": 20,
		"messages": []map[string]string{{"role": "user", "content": input + "\n\n" + ask}},
	}
}

func (chat) read(reply []byte, questions []DecisionQuestion) (Answers, error) {
	type token struct {
		Token   string  `json:"token"`
		Logprob float64 `json:"logprob"`
	}
	var r struct {
		Model   string `json:"model"`
		Choices []struct {
			Logprobs struct {
				Content []struct {
					Top []token `json:"top_logprobs"`
				} `json:"content"`
			} `json:"logprobs"`
		} `json:"choices"`
		Usage usage `json:"usage"`
	}
	if err := json.Unmarshal(reply, &r); err != nil || len(r.Choices) == 0 || len(r.Choices[0].Logprobs.Content) == 0 {
		return Answers{}, errors.New("the reply has no log-probabilities; the server has to support logprobs")
	}
	of := func(words ...string) (p float64) {
		for _, t := range r.Choices[0].Logprobs.Content[0].Top {
			for _, w := range words {
				if strings.EqualFold(strings.TrimSpace(t.Token), w) {
					p += math.Exp(min(0, t.Logprob))
				}
			}
		}
		return p
	}
	q := questions[0]
	out := Answers{Of: map[string]Prediction{}, Model: r.Model, Usage: r.Usage.of()}
	if q.Kind != Yes {
		out.Of[q.Name] = chosen(q.Options, func(i int, _ string) float64 { return of(labels[i : i+1]) })
		return out, nil
	}
	yes, no := of("yes", "y", "是"), of("no", "n", "否", "不")
	if yes+no <= 0 {
		return out, nil // it answered something else, which is no answer
	}
	out.Of[q.Name] = Prediction{P: yes / (yes + no)}
	return out, nil
}

// chosen returns the answer with a probability for each option, scaled to a sum of 1.
func chosen(options []string, of func(i int, option string) float64) Prediction {
	a := Prediction{Options: make([]float64, min(len(options), len(labels)))}
	sum := 0.0
	for i := range a.Options {
		a.Options[i] = max(0, of(i, options[i]))
		sum += a.Options[i]
		if a.Options[i] > a.Options[a.Best] {
			a.Best = i
		}
	}
	for i := range a.Options {
		if sum > 0 {
			a.Options[i] /= sum
		}
	}
	return a
}
