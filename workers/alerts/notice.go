package alerts

import (
	"fmt"
	"strings"
	"time"

	"switchyard/db/alerts"
	"switchyard/models"
)

// notice writes the text of the messages to an account.
type notice struct {
	account string
	apiURL  string
	advice  map[string]string // what to do, by the type of an alert
}

// listedAtOnce is the maximum number of begun alerts that a message lists. It is also the maximum number of ended alerts.
const listedAtOnce = 20

// write writes the announcements of the alerts that began or ended, for each active and confirmed channel. For a channel that
// receives only critical alerts, an alert also begins when it becomes critical.
func (n notice) write(channels []models.AlertChannel, news alerts.Changes) (out []alerts.Announcement) {
	for _, c := range channels {
		if !c.IsActive || c.Unconfirmed {
			continue
		}
		begun, ended := alertsFor(c, news.Begun), alertsFor(c, news.Ended)
		if c.MinSeverity == alerts.Critical {
			begun = append(begun, news.Risen...)
		}
		if len(begun)+len(ended) == 0 {
			continue
		}
		out = append(out, alerts.Announcement{Channel: c.ID, Subject: n.subject(begun, ended), Body: n.body(begun, ended)})
	}
	return out
}

// alertsFor returns the alerts that are severe enough for a channel, critical alerts first.
func alertsFor(c models.AlertChannel, list []alerts.AnnouncedAlert) (out []alerts.AnnouncedAlert) {
	for _, severity := range []string{alerts.Critical, alerts.Warning} {
		for _, a := range list {
			if a.Severity == severity && (c.MinSeverity == alerts.Warning || severity == alerts.Critical) {
				out = append(out, a)
			}
		}
	}
	return out
}

// longestName is the maximum length of a name in a message, in characters.
const longestName = 60

func (n notice) subject(begun, ended []alerts.AnnouncedAlert) string {
	var parts []string
	for _, p := range []struct {
		list []alerts.AnnouncedAlert
		what string
	}{{begun, "began"}, {ended, "ended"}} {
		switch len(p.list) {
		case 0:
		case 1:
			parts = append(parts, fmt.Sprintf("%s %s (%s)", p.list[0].Type, p.what, short(p.list[0].Name)))
		default:
			parts = append(parts, fmt.Sprintf("%d alerts %s", len(p.list), p.what))
		}
	}
	return fmt.Sprintf("[Switchyard] %s: %s", short(n.account), strings.Join(parts, ", "))
}

func short(name string) string {
	return models.Shortened(strings.Join(strings.Fields(name), " "), longestName)
}

func (n notice) body(begun, ended []alerts.AnnouncedAlert) string {
	var b strings.Builder
	for i, a := range begun {
		if i == listedAtOnce {
			fmt.Fprintf(&b, "and %d more began\n\n", len(begun)-i)
			break
		}
		fmt.Fprintf(&b, "BEGAN (%s) %s: %s\n%s\nSince %s. %s\n\n", a.Severity, a.Type, short(a.Name), models.OneLine(a.Message, longestMessage),
			a.Since.UTC().Format(time.RFC1123), n.advice[a.Type])
	}
	for i, a := range ended {
		if i == listedAtOnce {
			fmt.Fprintf(&b, "and %d more ended\n\n", len(ended)-i)
			break
		}
		fmt.Fprintf(&b, "ENDED %s: %s\n\n", a.Type, short(a.Name))
	}
	fmt.Fprintf(&b, "All alerts: GET %s/api/v1/alerts\n", n.apiURL)
	return b.String()
}

// longestMessage is the maximum length of an alert's text in a message, in characters.
const longestMessage = 300
