package jsonstore

// mistake is a way to get the protocol wrong, in words. Tests switch one on to
// show that they would see it; outside tests there is none. What it says is the
// mistake's name in the table of `make mutants`.
type mistake string

// The mistakes. Each is looked for at the one place where it would be made.
const (
	noMistake        mistake = ""
	ackBeforeSync    mistake = "acknowledge before fsync"
	ackAfterFailure  mistake = "write on after a failed fsync"
	ignoreSyncError  mistake = "ignore a failed fsync"
	retrySyncError   mistake = "retry a failed fsync"
	noDirSync        mistake = "no fsync of a directory"
	noFileSync       mistake = "rename before fsync of the file"
	noSnapshotSync   mistake = "commit a snapshot not fsynced"
	noBeginSync      mistake = "commit a snapshot before its journal"
	removeFirst      mistake = "remove the old before the commit"
	sharedTemp       mistake = "shared temporary name"
	behindFailure    mistake = "append behind a failed write"
	noCRC            mistake = "no CRC"
	noHeaderCRC      mistake = "CRC without the header"
	trustLength      mistake = "trust a bad line's length"
	noChain          mistake = "no chain"
	noLookAhead      mistake = "no look-ahead"
	noShutdown       mistake = "no record of a clean close"
	noLineSum        mistake = "no checksum in a snapshot"
	trustCache       mistake = "believe the page cache at open"
	believeAbsence   mistake = "believe one ENOENT"
	replayTwice      mistake = "replay what the snapshot holds"
	snapshotNoOutbox mistake = "snapshot without the outbox"
	snapshotNoKnown  mistake = "snapshot without the known keys"
	staleWriteBack   mistake = "stale write-back after a model call"
	twoBatches       mistake = "outbox and tree in two batches"
)

// mistakes lists all.
func mistakes() []mistake {
	return []mistake{
		ackBeforeSync, ackAfterFailure, ignoreSyncError, retrySyncError, noDirSync, noFileSync, noSnapshotSync, noBeginSync,
		removeFirst, sharedTemp, behindFailure, noCRC, noHeaderCRC, trustLength, noChain, noLookAhead, noShutdown, noLineSum,
		trustCache, believeAbsence, replayTwice, snapshotNoOutbox, snapshotNoKnown, staleWriteBack, twoBatches,
	}
}
