package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Ask generates an answer and has check look at it (nil accepts every answer
// that fits the schema). When the answer does not fit, or check refuses it, or it
// was cut off, Ask asks exactly once more, with the reasons, as r.Repair words
// them. A second failure, and every other error, is returned as it is: retries
// against a busy provider are the generator's business.
//
// check returns why it refuses, one error or several joined with errors.Join,
// each a sentence the model can act on. The Usage of the returned Answer, or
// [*Error], is that of both tries.
func Ask(ctx context.Context, gen Generator, r Request, check func(json.RawMessage) error) (Answer, error) {
	if gen == nil {
		return Answer{}, &Error{Kind: KindNotSet, Err: errors.New("no model is configured")}
	}
	first, err := try(ctx, gen, r, check)
	if err == nil {
		return first, nil
	}
	answer, violations, ok := repairable(err)
	if !ok || ctx.Err() != nil {
		return Answer{}, err
	}
	again := r
	if again.Prompt, err = repairPrompt(r, answer, violations); err != nil {
		return Answer{}, fmt.Errorf("word the repair of %s: %w", r.Name, err)
	}
	spent := first.Usage
	second, err := try(ctx, gen, again, check)
	second.Usage = second.Usage.Add(spent)
	if err == nil {
		return second, nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		total := *e
		total.Usage = second.Usage
		err = &total
	}
	return Answer{}, err
}

// try asks once. On failure the Answer holds only what the try cost.
func try(ctx context.Context, gen Generator, r Request, check func(json.RawMessage) error) (Answer, error) {
	a, err := gen.Generate(ctx, r)
	if err != nil {
		if e, ok := errors.AsType[*Error](err); ok {
			return Answer{Usage: e.Usage}, err
		}
		return Answer{}, err
	}
	if check == nil {
		return a, nil
	}
	if err := check(a.JSON); err != nil {
		invalid := &Invalid{Violations: sentences(err), Answer: string(a.JSON)}
		return Answer{Usage: a.Usage}, &Error{Kind: KindMalformed, Usage: a.Usage, Err: invalid}
	}
	return a, nil
}

// repairable says whether asking again with the reasons can help.
func repairable(err error) (answer string, violations []string, ok bool) {
	if invalid, found := errors.AsType[*Invalid](err); found {
		return invalid.Answer, invalid.Violations, true
	}
	switch KindOf(err) {
	case KindMalformed:
		return "", []string{root + ": there is no usable JSON object"}, true
	case KindTruncated:
		return "", []string{root + ": it was cut off before its end; use fewer words"}, true
	default:
		return "", nil, false
	}
}

// sentences lists the errors that were joined into err.
func sentences(err error) []string {
	// Only the outermost join is a list of reasons: what it joins may wrap further.
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []string{err.Error()}
	}
	var list []string
	for _, e := range joined.Unwrap() {
		list = append(list, e.Error())
	}
	return list
}

func repairPrompt(r Request, answer string, violations []string) (string, error) {
	if r.Repair != nil {
		return r.Repair(answer, violations)
	}
	return r.Prompt + "\n\nYour last answer was refused:\n- " + strings.Join(violations, "\n- ") +
		"\nAnswer again with one JSON object and nothing else.", nil
}
