package look

// Answers of a reader.
const (
	yes    = "yes"
	no     = "no"
	unseen = "unseen"
	beyond = "beyond"
)

// The codes of a look, for package risk: what the model found about the verdict, as far as its quotations are in the
// evidence.
const (
	None      uint8 = iota // there is no look
	Supported              // the verdict holds, and every point has a quotation; the model gave no chance
	Holds                  // the verdict holds, and some point has a quotation
	Unseen                 // the model could not tell whether the verdict holds, or nothing it quotes is in the evidence
	Doubted                // the verdict does not hold: a quotation contradicts it or is on a point, but not both
	Refuted                // the verdict does not hold: a quotation contradicts it, and a point of the task has one too
)

// Further codes, after ten for the probabilities of a model that decides.
const (
	// Beyond is the code of a verdict that holds because of something that the agent could not control. Teams differ in
	// whether such a run counts as failed, so it has a code of its own.
	Beyond = Refuted + bins + 1 + iota
	sure   // Supported, with a chance of 95 or more
	fair   // 85 to 94
	low    // 70 to 84
	unsure // less

	seenIn      // it holds, and every point is quoted or seen in a picture
	seenAgainst // it does not hold, by what the reader saw in a picture
)

// Contradicts reports whether the look speaks against the verdict.
func (l *Look) Contradicts() bool {
	if l.P != nil {
		return *l.P < 0.5
	}
	c := l.Code()
	return c == Doubted || c == Refuted || c == seenAgainst
}

// MadeUp reports whether the model decided about the verdict and quoted something, but none of its quotations is in the
// evidence.
func (l *Look) MadeUp() bool {
	if l.P != nil || l.Holds == unseen || l.Code() != Unseen {
		return false
	}
	quoted := l.Against != ""
	for i := range l.Points {
		quoted = quoted || l.Points[i].Quote != ""
	}
	return quoted
}

// Quoted returns the quotation that best supports what the look found, and in point the demand of the task that it is
// about. Both are "" if there is none; point is "" if the quotation is about the whole verdict.
func (l *Look) Quoted() (point, quote string) {
	if l.Refuted && l.Contradicts() {
		return "", l.Against
	}
	for i := range l.Points {
		p := &l.Points[i]
		if p.Found && p.Shown == no { // why a pass does not hold, or a fail does
			return p.Point, p.Quote
		}
		if p.Found && quote == "" {
			point, quote = p.Point, p.Quote
		}
	}
	return point, quote
}

// Code returns the code of the look for package risk: Supported, Holds and so on, or one of the codes for
// probabilities. It is never None.
func (l *Look) Code() uint8 {
	quoted, pictured := 0, 0
	for i := range l.Points {
		switch {
		case l.Points[i].Found:
			quoted++
		case l.Points[i].Picture > 0:
			pictured++
		}
	}
	switch {
	case l.P != nil:
		return bin(*l.P)
	case l.Holds == yes && quoted > 0 && l.Blame == beyond:
		return Beyond
	case l.Holds == yes && quoted > 0 && quoted == len(l.Points):
		return l.supported()
	case l.Holds == yes && pictured > 0 && quoted+pictured == len(l.Points):
		return seenIn
	case l.Holds == yes && quoted > 0:
		return Holds
	case l.Holds == no && l.Refuted && quoted > 0:
		return Refuted
	case l.Holds == no && (l.Refuted || quoted > 0):
		return Doubted
	case l.Holds == no && pictured > 0:
		return seenAgainst
	}
	return Unseen
}

// supported returns the code of a verdict that every quotation bears out, by how sure the reader is.
func (l *Look) supported() uint8 {
	switch {
	case l.Chance == nil:
		return Supported
	case *l.Chance >= 95:
		return sure
	case *l.Chance >= 85:
		return fair
	case *l.Chance >= 70:
		return low
	}
	return unsure
}
