package jsonstore

type snapshotted struct{}

func (s *Store) install(snapshotted) {}
func (s *Store) consider()           {}

// finish ends the writer: the journal is closed, and its length recorded so
// that a later open misses what is missing.
func (s *Store) finish() {
	if s.failed == nil {
		j := s.journal
		rec := shutdown{Journal: j.number, Bytes: j.size, Seq: j.seq}
		rec.Sum = rec.sum()
		b, err := encode(rec)
		if err == nil {
			err = s.disk.replace(shutdownName, append(b, '\n'))
		}
		s.closeErr = err
	}
	if err := s.journal.file.Close(); err != nil && s.closeErr == nil {
		s.closeErr = err
	}
}
