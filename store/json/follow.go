package jsonstore

import (
	"errors"
	"fmt"
	"io/fs"
)

// A store open for reading follows the one who writes: before each read it
// looks whether the journal has grown, and reads what is new. A batch is seen
// when all of its line is there, which may be a moment before it is durable.

// follow brings the state up to date.
func (s *Store) follow() error {
	s.following.Lock()
	defer s.following.Unlock()
	for range 100 { // each time, a snapshot came in between
		err := s.catchUp()
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		var r *replay
		if r, err = s.disk.recover(true); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("follow: %w", err)
		}
		old := s.replay
		s.replay = r
		s.state.Store(r.state)
		old.state.base.release()
		return nil
	}
	return errors.New("follow: the store is rewritten faster than it can be read")
}

// catchUp reads on where the last reading ended. fs.ErrNotExist says that it
// has to begin anew, on a new snapshot.
func (s *Store) catchUp() error {
	r := s.replay
	if r.damage != nil {
		return nil //nolint:nilerr // it ends here, until somebody accepts the loss
	}
	for {
		before := r.lines
		info, err := s.disk.stat(journalName(r.number))
		if err != nil {
			return err
		}
		if info.Size() > r.size {
			if err := s.more(r.number, r.size); err != nil {
				return err
			}
		}
		_, err = s.disk.stat(journalName(r.number + 1))
		if errors.Is(err, fs.ErrNotExist) || (err == nil && r.lines > before) {
			if s.state.Load() != r.state {
				s.state.Store(r.state)
			}
			if err != nil {
				return s.newer()
			}
			continue // a last line may have come before the next journal did
		}
		if err != nil {
			return err
		}
		number := r.number
		if err := s.more(number+1, 0); err != nil {
			return err
		}
		if r.number == number { // begun a moment ago: nothing stands in it yet
			return nil
		}
	}
}

// more reads what a journal holds from an offset on.
func (s *Store) more(number int, from int64) error {
	r := s.replay
	damage := r.damage
	defer func() { r.damage = damage }()
	if r.file != nil && r.file.number == number {
		end, _, err := r.scan(r.file, from)
		if err != nil {
			return err
		}
		if end > from {
			s.state.Store(r.state)
			return nil
		}
	}
	h := s.disk.reading(number) // after a crash, another file has the name
	end, _, err := r.scan(h, from)
	if err != nil || end == from {
		h.rest()
		return err
	}
	s.state.Store(r.state)
	return nil
}

// newer returns fs.ErrNotExist when the base has been replaced.
func (s *Store) newer() error {
	r := s.replay
	if r.number == r.state.base.Number {
		return nil
	}
	if _, err := s.disk.stat(manifestName(r.number)); err == nil {
		return fs.ErrNotExist
	}
	return nil
}

// hold opens the files that a writer may remove.
func (g *generation) hold() error {
	refs := []fileRef{}
	for _, b := range g.Branches {
		refs = append(refs, b.Data, b.Index)
	}
	for _, t := range g.Known {
		refs = append(refs, t.Table)
	}
	if g.Outbox != nil {
		refs = append(refs, g.Outbox.Data, g.Outbox.Index)
	}
	for _, f := range refs {
		if _, err := g.handles[f.Name].ReadAt(make([]byte, 1), 0); errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
