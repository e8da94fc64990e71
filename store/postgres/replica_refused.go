package postgres

import (
	"context"
	"errors"

	"github.com/memtree/memtree/store"
)

// The writes of a replica. A database may refuse some of them and take others, so each has a refusal of its own.
const (
	intakeWrites = iota
	formingWrites
	followingWrites
	kindsOfWrite
)

// isRefusal reports whether a database that answers did not do a write because of what it is, or lets this process do.
func isRefusal(err error) bool {
	var refused *store.RefusedError
	var format *store.FormatError
	return errors.As(err, &refused) || errors.As(err, &format) || errors.Is(err, store.ErrFull)
}

// noteRefusal records whether the database took a write. Other errors leave what is known.
func (r *Replica) noteRefusal(of int, err error) {
	if err != nil && !isRefusal(err) {
		return
	}
	r.mu.Lock()
	was := r.refusal()
	r.refused[of] = err
	now := r.refusal()
	r.mu.Unlock()
	switch {
	case was == nil && now != nil:
		r.o.Logger.Warn("the database does not take what is written; runs are kept on this machine", "error", now)
	case was != nil && now == nil:
		r.o.Logger.Info("the database takes what is written again")
	}
}

// refusal returns why the database refuses, nil if it does not. The caller holds mu.
func (r *Replica) refusal() error {
	for _, err := range r.refused {
		if err != nil {
			return err
		}
	}
	return nil
}

// seen records in the database how far it was followed. That is also a try whether it takes what is written.
func (r *Replica) seen(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, reportEvery)
	defer cancel()
	err := r.below.Seen(within, r.Following().Version)
	if ctx.Err() == nil {
		r.noteRefusal(followingWrites, err)
	}
	return err
}
