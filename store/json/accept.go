package jsonstore

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

var _ store.Knower = (*Store)(nil)

// arrival is an evaluation to add to the outbox.
type arrival struct {
	key      string
	hash     store.Hash
	digest   [8]byte
	labelled bool
	raw      []byte
}

// Accept adds evaluations to the outbox, all of them or none. See store.Store.
func (s *Store) Accept(ctx context.Context, es []tree.Evaluation) ([]store.Receipt, error) {
	in := make([]arrival, len(es))
	for i := range es {
		e := &es[i]
		if err := e.Check(); err != nil {
			return nil, fmt.Errorf("accept evaluation %d: %w", i+1, err)
		}
		raw, err := encode(e)
		if err != nil {
			return nil, fmt.Errorf("accept evaluation %d: %w", i+1, err)
		}
		key := e.Key()
		in[i] = arrival{key, store.HashOf(key), store.DigestOf(e), e.Labelled(), raw}
	}
	receipts := make([]store.Receipt, len(in))
	err := s.write(ctx, func(st *state) ([]byte, error) { return accept(st, in, receipts) })
	if err != nil {
		return nil, fmt.Errorf("accept: %w", err)
	}
	return receipts, nil
}

// Knows reports which keys were ever accepted. See store.Knower.
func (s *Store) Knows(ctx context.Context, keys []string) ([]bool, error) {
	st, err := s.view(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up keys: %w", err)
	}
	defer st.base.release()
	out := make([]bool, len(keys))
	for i, key := range keys {
		if _, out[i], err = st.knows(store.HashOf(key)); err != nil {
			return nil, fmt.Errorf("look up keys: %w", err)
		}
	}
	return out, nil
}

// accept sets the receipts and returns the line to write, nil if there is nothing to write.
func accept(st *state, in []arrival, receipts []store.Receipt) ([]byte, error) {
	var list [][]byte
	now := map[store.Hash]store.Known{} // from earlier arrivals of this call
	for i := range in {
		a := &in[i]
		k, known := now[a.hash]
		if !known {
			var err error
			if k, known, err = st.knows(a.hash); err != nil {
				return nil, err
			}
		}
		receipts[i] = store.Receipt{Key: a.key, Status: store.Accepted}
		if known {
			receipts[i].Status = k.Judge(a.digest, a.labelled)
		} else {
			k = store.Known{Digest: a.digest, Labelled: a.labelled}
		}
		if receipts[i].Status != store.Accepted {
			continue
		}
		b, err := encode(a.key)
		if err != nil {
			return nil, err
		}
		b = append([]byte(`{"key":`), b...)
		b = append(b, `,"digest":"`+hex.EncodeToString(a.digest[:])+`"`...)
		if known {
			b = append(b, `,"before":"`+hex.EncodeToString(k.Before[:])+`"`...)
		}
		b = append(b, `,"labelled":`+strconv.FormatBool(a.labelled)+`,"evaluation":`...)
		list = append(list, append(append(b, a.raw...), '}'))
		now[a.hash] = k
	}
	if len(list) == 0 {
		return nil, nil
	}
	b := appendList([]byte(`{`), "accept", list)
	return append(slices.Delete(b, 1, 2), '}'), nil
}
