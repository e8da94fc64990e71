package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Ask generates an answer and passes it to check; a nil check accepts all that fit the schema. If the answer does not
// fit, is cut off or rejected by check, Ask makes one more request, unless ctx has ended. r.Repair builds its prompt
// from the reasons, and after a cut-off r.MaxTokens is doubled. Ask returns a second failure and any other error
// without a further request: generators wait for busy providers themselves.
//
// check returns why it rejects: one error, or several joined with errors.Join, each a sentence that the model can act
// on. The Usage of the returned Answer or [*Error] is the sum of both requests.
func Ask(ctx context.Context, gen Generator, r Request, check func(json.RawMessage) error) (Answer, error) {
	if gen == nil {
		return Answer{}, &Error{Kind: KindNotSet, Err: errors.New("no model is configured")}
	}
	first, err := askOnce(ctx, gen, r, check)
	if err == nil {
		return first, nil
	}
	answer, violations, ok := repairable(err)
	if !ok || ctx.Err() != nil {
		return Answer{}, err
	}
	again := r
	again.Repairing = violations
	if KindOf(err) == KindTruncated {
		again.MaxTokens *= 2
	}
	if again.Prompt, err = repairPrompt(r, answer, violations); err != nil {
		return Answer{}, fmt.Errorf("word the repair of %s: %w", r.Name, err)
	}
	spent := first.Usage
	second, err := askOnce(ctx, gen, again, check)
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

// askOnce makes one request. If it fails, the Answer contains only the Usage.
func askOnce(ctx context.Context, gen Generator, r Request, check func(json.RawMessage) error) (Answer, error) {
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
		invalid := &Invalid{Violations: joinedErrors(err), Answer: string(a.JSON)}
		return Answer{Usage: a.Usage}, &Error{Kind: KindMalformed, Usage: a.Usage, Err: invalid}
	}
	return a, nil
}

// repairable reports whether another request can help, and returns its inputs: the rejected answer, "" if there is
// none, and the reasons.
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

// joinedErrors returns the messages of the errors that were joined into err.
func joinedErrors(err error) []string {
	// Only the outermost join is the list of reasons. A reason may wrap a join of its own.
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

// repairPrompt returns the prompt of the second request, in plain English without r.Repair.
func repairPrompt(r Request, answer string, violations []string) (string, error) {
	if r.Repair != nil {
		return r.Repair(answer, violations)
	}
	return r.Prompt + "\n\nYour last answer was refused:\n- " + strings.Join(violations, "\n- ") +
		"\nAnswer again with one JSON object and nothing else.", nil
}

// AskFor is Ask with read as the check. got is what read returned for the accepted answer, and undefined with an error.
func AskFor[T any](
	ctx context.Context, gen Generator, r Request, read func(json.RawMessage) (T, error),
) (got T, a Answer, err error) {
	a, err = Ask(ctx, gen, r, func(raw json.RawMessage) (bad error) {
		got, bad = read(raw)
		return bad
	})
	return got, a, err
}
