package shared

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/llm"
)

var _ jobs.Ledger = (*turn)(nil)

// Known implements jobs.Ledger.
func (t *turn) Known(ctx context.Context, key jobs.Key) (r jobs.Reply, known bool, err error) {
	var body []byte
	err = t.q.pool.QueryRow(ctx, `SELECT body FROM memtree.reply WHERE job = $1 AND key = $2`, t.id, key[:]).Scan(&body)
	if errors.Is(err, pgx.ErrNoRows) {
		return r, false, nil
	}
	if err == nil {
		err = json.Unmarshal(body, &r)
	}
	if err != nil {
		return r, false, fmt.Errorf("look for an earlier reply: %w", err)
	}
	return r, true, nil
}

// Begin implements jobs.Ledger. Until the call ends, it counts with the most that it may cost.
func (t *turn) Begin(ctx context.Context, c jobs.ModelCall) error {
	var mine, within bool
	err := t.q.pool.QueryRow(ctx, `WITH begun AS (
			UPDATE memtree.job SET calls = calls + 1, cost = cost + $3 WHERE id = $1 AND turn = $2
				AND calls < coalesce(most_calls, calls + 1) AND cost + $3 <= coalesce(most_cost, cost + $3)
			RETURNING id
		) SELECT turn = $2, EXISTS (SELECT FROM begun) FROM memtree.job WHERE id = $1`, t.id, t.n, t.cost(c.Most)).
		Scan(&mine, &within)
	switch {
	case err != nil:
		return fmt.Errorf("count a call of job %s: %w", idOf(t.id), err)
	case !mine:
		return &llm.Error{Kind: llm.KindBound, Unsent: true, Err: errLost}
	case !within:
		return &llm.Error{Kind: llm.KindBound, Unsent: true, Err: errors.New("what the job may spend on models is spent")}
	}
	return nil
}

// End implements jobs.Ledger. If the provider did not report the usage of a reply, the most that it may cost stays
// counted.
func (t *turn) End(ctx context.Context, c jobs.ModelCall, how jobs.Ended) error {
	most, calls := t.cost(c.Most), 0
	var more float64
	switch {
	case how.Unsent:
		calls, more = -1, -most
	case how.Used != llm.Usage{} || how.Reply == nil:
		more = t.cost(how.Used) - most
	}
	var body []byte
	if how.Reply != nil {
		var err error
		if body, err = json.Marshal(how.Reply); err != nil {
			return fmt.Errorf("keep the reply of a model: %w", err)
		}
	}
	err := t.q.patiently(ctx, func() error {
		return pgx.BeginFunc(ctx, t.q.pool, func(tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, `UPDATE memtree.job SET calls = calls + $2, input = input + $3, output = output + $4,
				cost = greatest(0, cost + $5) WHERE id = $1`, t.id, calls, how.Used.InputTokens, how.Used.OutputTokens, more)
			if err == nil && tag.RowsAffected() > 0 && body != nil {
				_, err = tx.Exec(ctx, `INSERT INTO memtree.reply VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, t.id, c.Key[:], body)
			}
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("keep the reply of a model: %w", err)
	}
	return nil
}

// cost returns the price of tokens.
func (t *turn) cost(u llm.Usage) float64 { return t.q.o.Price.Of(u) }
