package look

// Answers of a reader.
const (
	yes    = "yes"
	no     = "no"
	unseen = "unseen"
)

// The codes of a look, for package risk: what the reader found of the verdict, as far as its quotations are in the
// evidence.
const (
	None      uint8 = iota // no look, or one that counts for nothing
	Supported              // it holds, and every point is quoted
	Holds                  // it holds, and some point is quoted
	Unseen                 // the evidence does not show it
	Doubted                // it does not hold, by one quotation
	Refuted                // it does not hold, by a quotation against it and one of a point
)

// Contradicts reports whether the look speaks against the verdict.
func (l *Look) Contradicts() bool {
	if l.P != nil {
		return !l.Orders && *l.P < 0.5
	}
	c := l.Code()
	return c == Doubted || c == Refuted
}

// Quoted returns the quotation that speaks most for what the look found, and the demand of the task that it is about,
// "" for the whole.
func (l *Look) Quoted() (point, quote string) {
	against := l.Contradicts()
	if l.Refuted && against {
		return "", l.Against
	}
	for i := range l.Points {
		if p := &l.Points[i]; p.Found && (p.Shown == no) == against {
			return p.Point, p.Quote
		}
	}
	return "", ""
}

// Code returns the code of a look.
func (l *Look) Code() uint8 {
	quoted := 0
	for i := range l.Points {
		if l.Points[i].Found {
			quoted++
		}
	}
	switch {
	case l.Orders:
		return None
	case l.P != nil:
		return bin(*l.P)
	case l.Holds == yes && quoted > 0 && quoted == len(l.Points):
		return Supported
	case l.Holds == yes && quoted > 0:
		return Holds
	case l.Holds == no && l.Refuted && quoted > 0:
		return Refuted
	case l.Holds == no && (l.Refuted || quoted > 0):
		return Doubted
	}
	return Unseen
}
