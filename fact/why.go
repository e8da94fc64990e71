package fact

// Reasons why a fact is unknown, as sentences.
const (
	amountOther   = "an amount is neither the price nor the price times the quantity"
	numberOther   = "another number stands there"
	bothThere     = "both texts are on the page"
	mayBeOff      = "it is disabled, which may be right before something else is done"
	whichNumber   = "it is not plain which number belongs to the label"
	mayBeAnother  = "one is there, but something may have to be done before the one that is meant is"
	oneSet        = "one is on and another is off"
	mayComeLater  = "it is not there, and something may have to be done first"
	typeOther     = "it is of a third type"
	nameElsewhere = "its name is there, of something else"
	otherName     = "no such name is on the page, but a like one is"
	neitherThere  = "neither text is on the page"
	noQuantity    = "no price with a quantity of two or more is on the page"
	noControl     = "no such control is on the page"
	noDecision    = "nothing decides what this is about"
	oneOff        = "one is disabled and another is not"
	noLabel       = "the label is not on the page"
	noRoles       = "the observation does not tell controls from text"
	noTypes       = "the observation does not tell the types of its fields"
	notReady      = "the page is still loading, or hardly anything is on it"
	changed       = "the page changed while it was looked at"
	notWhole      = "the observation does not have the whole page"
	tooLittle     = "the text says too little by itself"
)

// Reasons returns all sentences that Finding.Why can have, so that a program can translate them.
func Reasons() []string {
	return []string{
		mayBeAnother, oneSet, amountOther, numberOther, bothThere, mayBeOff, whichNumber, mayComeLater,
		typeOther, nameElsewhere, neitherThere, noQuantity, noControl, noDecision,
		oneOff, noLabel, otherName, noRoles, noTypes, notReady, notWhole, changed, tooLittle,
	}
}

// Undecidable returns an Unknown Finding for a missed check that has no expectation. thing is what the check is about.
func Undecidable(check, thing string) Finding {
	return Finding{Expected: Expected{Check: check, Thing: thing}, Why: noDecision}
}
