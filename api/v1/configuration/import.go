package configuration

import (
	"encoding/base64"
	"encoding/json"

	"github.com/google/uuid"

	"switchyard/api/route"
	"switchyard/api/slow"
	dbconfig "switchyard/db/accountconfig"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/foreign"
	"switchyard/models/trackerimport"
)

// maxDump is the maximum size of a decoded dump in bytes.
const maxDump = 24 << 20

// ImportConfigBody is the body of POST /config/import.
type ImportConfigBody struct {
	Tracker string       `json:"tracker" required:"true" enum:"keitaro,binom,voluum,redtrack,csv" doc:"csv: tables of any other tracker"`
	URL     string       `json:"url" trim:"true" maxLength:"2000" doc:"address of the tracker; Voluum and RedTrack need none. With a dump or tables it only distinguishes several trackers"`
	ID      string       `json:"access_id" trim:"true" maxLength:"500" doc:"Voluum: the access id that belongs to the key"`
	Key     string       `json:"key" trim:"true" maxLength:"2000" doc:"API key. It is used for this import and then deleted"`
	Dump    string       `json:"dump" doc:"Keitaro: a dump of its database in base64, used instead of the key; plain or gzip, of at most 24 MB"`
	Tables  ConfigTables `json:"tables" doc:"the tables, if tracker is csv"`
}

// ConfigTables are tables in CSV, each with the names of its columns in the first line.
type ConfigTables struct {
	Offers    string `json:"offers" maxLength:"8000000" doc:"a table of offers, with columns such as name, url, network, payout, currency, country"`
	Campaigns string `json:"campaigns" maxLength:"8000000" doc:"a table of campaigns, with columns such as name, alias, domain, source, offer"`
	Links     string `json:"links" maxLength:"8000000" doc:"a table of addresses in ads, with the campaign to which each leads"`
}

var importConfigJob = slow.New(jobs.ImportConfig, func(a jobs.ConfigPlanned) ConfigPlanned { return ConfigPlanned(a) })

// file returns the decoded dump, or the tables as JSON. It is empty if the body has neither.
func (b ImportConfigBody) file() ([]byte, error) {
	if b.Tables != (ConfigTables{}) || b.Tracker == trackerimport.FromCSV {
		if b.Tracker != trackerimport.FromCSV || b.Tables == (ConfigTables{}) {
			return nil, models.Invalid("invalid_input", "the tracker csv needs tables, and no other tracker takes them")
		}
		return json.Marshal(b.Tables)
	}
	dump, err := base64.StdEncoding.DecodeString(b.Dump)
	if err != nil {
		return nil, models.Invalid("invalid_input", "dump must be in base64")
	}
	if len(dump) > 0 && b.Tracker != foreign.Keitaro {
		return nil, models.Invalid("invalid_input", "only Keitaro is read from a dump")
	}
	return dump, nil
}

func (d Deps) importConfig(c *route.Call, b ImportConfigBody) (ConfigPlanned, error) {
	dump, err := b.file()
	switch {
	case err != nil:
		return ConfigPlanned{}, err
	case b.URL == "" && b.Tracker != foreign.Voluum && b.Tracker != foreign.RedTrack:
		return ConfigPlanned{}, models.Invalid("required", "url is required")
	case b.Key == "" && len(dump) == 0:
		return ConfigPlanned{}, models.Invalid("required", "send the key of the tracker, a dump or tables")
	case len(dump) > maxDump:
		return ConfigPlanned{}, models.Invalid("invalid_input", "a dump may have at most %d bytes", maxDump)
	}
	access, err := json.Marshal(map[string]string{"URL": b.URL, "ID": b.ID, "Key": b.Key})
	if err == nil {
		err = c.Store.Box().Ready(c.Context())
	}
	if err != nil {
		return ConfigPlanned{}, err
	}
	return importConfigJob.Start(c, d.Jobs, jobs.ImportConfigArgs{}, func(tx *store.Store, id uuid.UUID) error {
		return dbconfig.PlansOf(tx).AddImport(c.Context(), c.Account.ID, id, b.Tracker, access, dump)
	})
}
