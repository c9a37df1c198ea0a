package v1

import (
	"errors"
	"slices"
	"strings"
	"time"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/geodatabase"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/botdata"
)

// botDetection returns the routes of /bot-detection.
func botDetection(d Deps) []route.Route {
	const group = "Bot protection"
	read := route.New("GET", "/bot-detection", group, "the scoring settings, and the clicks of the last 30 days", route.Handle(d.botDetection)).
		WithShare(route.Reads)
	read.Versioned = true
	return []route.Route{
		read,
		{
			Method: "PUT", Path: "/bot-detection", Group: group, Summary: "change the scoring settings", Versioned: true,
			Codes: route.Codes("409 stale"), Starts: rescoreJob.Answer(), Handle: route.HandleBody(d.changeBotDetection), Recorded: recordedBotSettings,
		},
	}
}

// botDays is the number of days of the figures of GET /bot-detection. A change of settings scores the clicks of the same window
// again by default.
const botDays = 30

// BotSignal is a signal with the number of clicks on which it fired.
type BotSignal struct {
	Reason     string  `json:"reason" doc:"the name of the signal, which is also the bot_reason of clicks"`
	Meaning    string  `json:"meaning"`
	Weight     int     `json:"weight" doc:"what the signal adds to the score"`
	Enabled    bool    `json:"enabled"`
	CanDisable bool    `json:"can_disable"`
	When       string  `json:"when" doc:"when the signal is found; a signal that is found later changes the stored click"`
	Found      string  `json:"found" doc:"how the signal is found"`
	Silent     *string `json:"silent" doc:"why the signal cannot fire, even if it is enabled: no list is loaded, or the requests that it would find are not recorded; null: it can fire"`
	Hits       int64   `json:"hits_30d" doc:"clicks of the last 30 days on which the signal fired"`
}

// BotTotals are the clicks of the last 30 days.
type BotTotals struct {
	Clicks    int64 `json:"clicks" doc:"without bots"`
	BotClicks int64 `json:"bot_clicks"`
}

// BotScore is the number of clicks with a score.
type BotScore struct {
	Score  int   `json:"score"`
	Clicks int64 `json:"clicks"`
}

// BotLists counts the entries of the account's allow and deny lists.
type BotLists struct {
	Allow int `json:"allow"`
	Deny  int `json:"deny"`
}

// BotData is a list of networks, referrers or crawlers that signals use.
type BotData struct {
	Kind    string    `json:"kind" doc:"tor, vpn, proxy, datacenter, spam_ip, bad_referrer or crawler"`
	Source  string    `json:"source" doc:"the module of the build that contains the list, or loaded: the operator has loaded it"`
	Entries *int      `json:"entries" doc:"null: the module does not report it"`
	Dated   time.Time `json:"dated" doc:"date of the data"`
}

// BotDetection is the answer of GET /bot-detection.
type BotDetection struct {
	Version        string      `json:"version" doc:"version of threshold and disabled signals, which the header ETag has too; send it as If-Match of PUT"`
	Threshold      int         `json:"threshold" doc:"a click with this score or more is a bot's"`
	MinThreshold   int         `json:"minThreshold"`
	MaxThreshold   int         `json:"maxThreshold"`
	Signals        []BotSignal `json:"signals"`
	Totals         BotTotals   `json:"totals"`
	Scores         []BotScore  `json:"scores" doc:"the clicks of the last 30 days by score, without the score 0, to show the effect of another threshold"`
	UnknownReasons []string    `json:"unknownReasons" doc:"reasons of stored clicks that this version does not know"`
	Lists          BotLists    `json:"lists"`
	Data           []BotData   `json:"data" doc:"the lists behind the signals; for all accounts"`
}

func (d Deps) botDetection(c *route.Call) (out BotDetection, err error) {
	set, err := c.Store.FindBotSettings(c.Context(), c.Account.ID)
	if err != nil {
		return out, err
	}
	sizes, err := c.Store.BotEntries().Sizes(c.Context(), c.Account.ID)
	if err != nil {
		return out, err
	}
	data, err := botData(c)
	if err != nil {
		return out, err
	}
	now := time.Now()
	fired, err := d.reports(c).BotScores(c.Context(), c.Account.ID, now.AddDate(0, 0, -botDays), now)
	if err != nil {
		return out, err
	}
	settings := set.Settings()
	version := botVersion(settings)
	tagVersion(c, version)
	out = BotDetection{
		Version:   version,
		Threshold: settings.Limit(), MinThreshold: bot.MinThreshold, MaxThreshold: bot.MaxThreshold,
		Lists:  BotLists{sizes[models.BotAllow], sizes[models.BotDeny]},
		Scores: []BotScore{}, UnknownReasons: []string{}, Data: data,
	}
	silent, err := d.silentSignals(c, data)
	if err != nil {
		return out, err
	}
	hits := out.count(fired)
	for row := range bot.All() {
		out.Signals = append(out.Signals, BotSignal{
			Reason: row.Reason, Meaning: row.Meaning, Weight: row.Weight, CanDisable: row.CanDisable,
			Enabled: settings.Disabled&row.Bit == 0, When: string(row.When), Found: row.Found, Hits: hits[row.Bit],
			Silent: answer.OrNull(silent(row.Bit)),
		})
	}
	return out, nil
}

// botData lists the data of the build and the lists that the operator has loaded.
func botData(c *route.Call) (out []BotData, err error) {
	for _, b := range botdata.BuiltIns {
		out = append(out, BotData{Kind: b.Kind.String(), Source: b.Module, Dated: b.Dated})
	}
	loaded, err := c.Store.BotData().List(c.Context())
	for _, l := range loaded {
		out = append(out, BotData{Kind: l.Kind, Source: "loaded", Entries: &l.Entries, Dated: l.Dated})
	}
	return out, err
}

// silentSignals returns a function that explains why a signal cannot fire on clicks of the account. It returns "" for a signal
// that can fire.
func (d Deps) silentSignals(c *route.Call, data []BotData) (func(bot.Signals) string, error) {
	g, err := geodatabase.New(c.Store).Find(c.Context(), c.Account.ID)
	if err != nil && !errors.Is(err, models.NotFound("geo database")) {
		return nil, err
	}
	hasOwnDatabase := err == nil && g.Enabled
	var canFire bot.Signals
	if hasOwnDatabase || d.AnonymousFile {
		canFire |= bot.Network
	}
	if d.NetworkFile {
		canFire |= bot.Datacenter | bot.VPNOrProxy
	}
	listsFor := map[bot.Signals][]string{}
	for _, name := range botdata.Names() {
		kind, _ := botdata.Named(name)
		listsFor[kind.Fires()] = append(listsFor[kind.Fires()], name)
		if slices.ContainsFunc(data, func(l BotData) bool { return l.Kind == name }) {
			canFire |= kind.Fires()
		}
	}
	return func(signal bot.Signals) string {
		list := listsFor[signal]
		switch {
		case signal&bot.Unrecorded != 0:
			return "such requests are answered and not recorded as clicks, so disabling the signal changes nothing"
		case len(list) == 0 || canFire&signal != 0:
			return ""
		case signal&bot.Network != 0:
			return "no list of kind " + strings.Join(list, " or ") + " is loaded, and no geo database of this install recognizes such addresses"
		}
		return "no list of kind " + strings.Join(list, " or ") + " is loaded"
	}, nil
}

// count adds up totals, scores and unknown reasons, and returns the clicks of each signal.
func (b *BotDetection) count(fired []report.BotScore) map[bot.Signals]int64 {
	hits, scores := map[bot.Signals]int64{}, map[int]int64{}
	for _, f := range fired {
		if f.IsBot {
			b.Totals.BotClicks += f.Clicks
		} else {
			b.Totals.Clicks += f.Clicks
		}
		if f.Score > 0 {
			scores[f.Score] += f.Clicks
		}
		for row := range bot.All() {
			if bot.Signals(f.Signals)&row.Bit != 0 { //nolint:gosec // the conversion keeps all bits
				hits[row.Bit] += f.Clicks
			}
		}
		if _, known := bot.ByReason(f.Reason); !known && f.Reason != "" && !slices.Contains(b.UnknownReasons, f.Reason) {
			b.UnknownReasons = append(b.UnknownReasons, f.Reason)
		}
	}
	for score, clicks := range scores {
		b.Scores = append(b.Scores, BotScore{score, clicks})
	}
	slices.SortFunc(b.Scores, func(x, y BotScore) int { return x.Score - y.Score })
	slices.Sort(b.UnknownReasons)
	return hits
}
