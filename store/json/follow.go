package jsonstore

import (
	"errors"
	"fmt"
	"io/fs"
)

// A store that is open for reading follows the writing process. Before each read it checks whether the journal has
// grown, and reads the new lines. It sees a batch once the whole line is written, possibly shortly before the line is
// durable.

// follow brings the state up to date.
func (s *Store) follow() error {
	s.following.Lock()
	defer s.following.Unlock()
	for range 100 { // each further round means that a snapshot replaced the files
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

// catchUp reads the journals from where it last stopped. fs.ErrNotExist means that the files were replaced and reading
// has to start again from a new snapshot.
func (s *Store) catchUp() error {
	r := s.replay
	if r.damage != nil {
		return nil //nolint:nilerr // reading stops at the damage until somebody accepts the loss
	}
	for {
		before := r.lines
		info, err := s.disk.stat(journalName(r.number))
		if err != nil {
			return err
		}
		if info.Size() > r.size {
			if err := s.applyNewLines(r.number, r.size); err != nil {
				return err
			}
		}
		// No line was missed only if the next journal does not exist, or if this one was read to its end after the next
		// one was started.
		_, err = s.disk.stat(journalName(r.number + 1))
		if errors.Is(err, fs.ErrNotExist) || (err == nil && r.lines > before) {
			if s.state.Load() != r.state {
				s.state.Store(r.state)
			}
			if err != nil {
				return s.checkBase()
			}
			continue // the last line may have been written just before the next journal was started
		}
		if err != nil {
			return err
		}
		number := r.number
		if err := s.applyNewLines(number+1, 0); err != nil {
			return err
		}
		if r.number == number { // the next journal has no whole line yet
			return nil
		}
	}
}

// applyNewLines applies the lines of a journal from an offset on.
func (s *Store) applyNewLines(number int, from int64) error {
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
	h := s.disk.journalHandle(number) // a new handle: after a crash, another file may have this name
	end, _, err := r.scan(h, from)
	if err != nil || end == from {
		h.closeFile()
		return err
	}
	s.state.Store(r.state)
	return nil
}

// checkBase returns fs.ErrNotExist if a newer snapshot has replaced the base.
func (s *Store) checkBase() error {
	r := s.replay
	if r.number == r.state.base.Number {
		return nil
	}
	if _, err := s.disk.stat(manifestName(r.number)); err == nil {
		return fs.ErrNotExist
	}
	return nil
}

// openFiles opens the files that a writer may remove, so that they stay readable.
func (g *generation) openFiles() error {
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
