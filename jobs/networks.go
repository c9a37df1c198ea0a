package jobs

import (
	"time"

	"github.com/google/uuid"

	"switchyard/models/correction"
)

// NetworkSync says which orders of a network a job imports.
type NetworkSync struct {
	NetworkID uuid.UUID `json:"network_id"`
	Provider  string    `json:"provider"`
	From      string    `json:"from"`   // YYYY-MM-DD, of the platform's time zone; included, as To
	To        string    `json:"to"`     //
	Origin    string    `json:"origin"` // models.RunByAPI or models.RunByClock
	Wide      bool      `json:"wide"`   // the days are the days of the longer window
	Read      bool      `json:"read"`   // the orders were read, and are stored under the id of the job
}

// SyncNetwork imports the orders of a network: it reads all of them, then it is as CorrectConversions. Errors: not_connected,
// network_error, too_many.
var SyncNetwork = Define[CorrectionArgs, CorrectionAnswer[correction.ConversionOutcome]]("networks:sync", Policy{
	Queue: Bulk, Timeout: 15 * time.Minute, Row: true, PerAccount: 4,
	Retries: []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute},
})

// NetworkArgs name a network.
type NetworkArgs struct {
	ID uuid.UUID `json:"id"`
}

// NetworkTested is what the platform of a network said to its credentials. Failure is empty if it took them.
type NetworkTested struct {
	Provider string `json:"provider"`
	Failure  string `json:"failure"`
}

// TestNetwork tries the connection of a network. Errors: not_connected.
var TestNetwork = Define[NetworkArgs, NetworkTested]("networks:test", Policy{Queue: Interactive, Timeout: 24 * time.Second})

// SweepNetworks starts SyncNetwork for each connected network whose import is due.
var SweepNetworks = tick("networks:sweep", time.Minute)
