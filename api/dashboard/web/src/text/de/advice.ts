// The German texts about alerts, by the type of the alert: what to do about it, and what was noticed.
import type { Alert } from '../../api.gen.ts'
import { dnsDetail } from './dns.ts'

const does: Record<string, string> = {
  'link.broken': 'Die URL korrigieren oder aus der Rotation nehmen. Sie wird innerhalb einer Stunde erneut geprüft.',
  'link.unsafe': 'Die Kampagnen auf eine andere URL umstellen und die Liste um eine neue Prüfung bitten.',
  'domain.stray': 'Die DNS-Einträge, die bei der Domain stehen, beim Anbieter setzen und die Domain erneut prüfen.',
  'domain.expiring': 'Den Namen beim Registrar verlängern oder die Kampagnen auf eine andere Domain umstellen.',
  'certificate.expiring': 'Bei der Domain nachsehen, was dem Zertifikat fehlt, und es erneut anfordern.',
  'certificate.failing': 'Bei der Domain nachsehen, was dem Zertifikat fehlt, und es erneut anfordern.',
  'dns_account.failing': 'Die Zugangsdaten des DNS-Kontos testen und gültige speichern.',
  'network.failing': 'Die Zugangsdaten der Verbindung testen und gültige speichern.',
  'uploads.failing':
    'In den Läufen der Verbindung steht, was die Plattform geantwortet hat. Wartende Conversions werden gesendet, sobald es wieder geht.',
  'uploads.stopped': 'Bei der Verbindung nachsehen, was abgelehnt wurde, es korrigieren und die Verbindung speichern.',
  'oauth.revoked': 'Erneut bei der Plattform anmelden.',
  'oauth.failing': 'Noch nichts: Der Dienst versucht es weiter. Bleibt es dabei, erneut bei der Plattform anmelden.',
  'spend.failing': 'In den Läufen der Verbindung steht, was die Plattform ablehnt.',
  'webhook.failing': 'Im Protokoll der Zustellungen steht die Antwort des Empfängers. Gescheiterte lassen sich dort erneut senden.',
  'source.failing':
    'Im Postback-Protokoll steht, was die Quelle antwortet. Die Postback-URL korrigieren und Gescheitertes dort neu senden.',
  'source.unfilled': 'Das Makro im Tracking-Link bei der Quelle korrigieren. Die Meldung endet spätestens nach einem Tag.',
  'geo_database.failing': 'Einen anderen Schlüssel der Geo-Datenbank versuchen oder sie ausschalten.',
  'postbacks.unmatched': 'Einen der Postbacks öffnen, dort die Parameternamen des Netzwerks korrigieren, dann alle Postbacks neu einlesen.',
  'postbacks.refused': 'Geheimnis und IP-Adressen des Netzwerks mit dem vergleichen, was es sendet, dann neu einlesen.',
  'postbacks.unread':
    'Beträge, Währung oder Parameternamen beim Netzwerk korrigieren. Was bisher nicht gelesen wurde, lässt sich danach mit einer Korrektur nachtragen.',
  'clicks.unread':
    'Die Kosten korrigieren, die die Quelle in den Link setzt. Mit einer Korrektur der Ausgaben des Tages lassen sie sich nachtragen.',
  'offer.capped': 'Das Limit erhöhen oder bis morgen warten: Dann beginnt die Zählung neu.',
  'currency.unconverted': 'Den Betreiber bitten, einen Kurs für diese Tage einzuspielen.',
  'plan.limit_reached': 'Nichts geht verloren: Klicks werden weiter gezählt. Beim Betreiber einen größeren Tarif anfragen.',
  'plan.limit_near': 'Beim Betreiber einen größeren Tarif anfragen. Auch über dem Limit geht nichts verloren.',
  'rule.matched': 'Nachsehen, was die Regel nennt. Die Meldung endet, sobald die Regel nicht mehr zutrifft.',
  'clicks.behind': 'Nichts geht verloren: Was wartet, liegt auf der Platte. Den Betreiber fragen, ob PostgreSQL mitkommt.',
  'jobs.behind': 'Nichts geht verloren. Den Betreiber fragen, ob Worker laufen und die Warteschlange erreichbar ist.',
  // What the states of the service's own parts mean.
  'link_checks.failing': 'Die Links ließen sich nicht prüfen. Vielleicht hat der Server keine Verbindung zum Internet.',
  'safe_browsing.off': 'Auf dieser Installation ist kein Schlüssel für eine Liste unsicherer URLs eingerichtet.',
  'safe_browsing.failing': 'Die Liste unsicherer URLs ließ sich nicht abfragen.',
}

// Said is a general German sentence about an alert. Some sentences of the service contain figures or names. `form` matches such a
// sentence, and `translated` is its translation with the same figures and names.
type Said = [text: string, form?: RegExp, translated?: string]
const bad = (what: string): Said => [
  `Zu viele Postbacks ${what}.`,
  /^(\d+) of the last day's (\d+) postbacks are \w+; in the week before, (\d+) of (\d+) were$/,
  `$1 von $2 Postbacks des letzten Tages ${what}; in der Woche davor $3 von $4`,
]

const seen: Record<Alert['type'], Said> = {
  'link.broken': ['Der Link antwortet nicht, wie er soll'],
  'link.unsafe': [
    'Der Link steht auf einer Liste unsicherer URLs',
    /^listed as ([^;]+)$/,
    'Der Link steht auf einer Liste unsicherer URLs: $1',
  ],
  'domain.stray': ['Die Domain zeigt nicht mehr hierher'],
  'domain.expiring': [
    'Die Registrierung läuft bald ab',
    /^the registration of (\S+) ends on (\S+)$/,
    'Die Registrierung von $1 endet am $2',
  ],
  'certificate.expiring': [
    'Das HTTPS-Zertifikat läuft bald ab und wurde nicht erneuert',
    /^its HTTPS certificate ends on (\S+) and was not renewed.*$/s,
    'Das HTTPS-Zertifikat endet am $1 und wurde nicht erneuert',
  ],
  'certificate.failing': ['Es war kein HTTPS-Zertifikat zu bekommen'],
  'dns_account.failing': ['Der DNS-Anbieter lehnt die Zugangsdaten ab'],
  'network.failing': [
    'Die Abfrage scheitert',
    /^requests to (.+?) failed (\d+) times in a row: .*$/s,
    'Die Abfrage bei $1 ist $2-mal in Folge gescheitert',
  ],
  'uploads.failing': [
    'Conversions lassen sich nicht melden',
    /^uploads of conversions to (.+?) failed (\d+) times in a row: .*$/s,
    'Conversions an $1 zu melden ist $2-mal in Folge gescheitert',
  ],
  'uploads.stopped': ['Das Melden von Conversions ist angehalten'],
  'oauth.revoked': ['Die Plattform nimmt die Anmeldung nicht mehr an'],
  'oauth.failing': ['Die Anmeldung ließ sich nicht erneuern'],
  'spend.failing': [
    'Ausgaben lassen sich nicht abrufen',
    /^requests to (.+?) failed (\d+) times in a row: .*$/s,
    'Die Abfrage bei $1 ist $2-mal in Folge gescheitert',
  ],
  'webhook.failing': [
    'Zustellungen scheitern',
    /^the last (\d+) attempts to deliver failed$/,
    'Die letzten $1 Zustellungen sind gescheitert',
  ],
  'source.failing': [
    'Die Quelle nimmt keine Postbacks an',
    /^the last (\d+) attempts to report conversions were not accepted$/,
    'Die letzten $1 Versuche, Conversions zu melden, wurden nicht angenommen',
  ],
  'source.unfilled': ['Die Quelle füllt das Makro dieses Parameters nicht aus'],
  'geo_database.failing': ['Die eigene Geo-Datenbank ließ sich nicht laden: Land und Provider kommen aus den Datenbanken des Dienstes'],
  'postbacks.unmatched': bad('fanden keinen Klick'),
  'postbacks.refused': bad('wurden abgelehnt'),
  'postbacks.unread': [
    'Beträge von Postbacks zählen nicht',
    /^of the last day's (\d+) postbacks (\d+) have a payout.*$/s,
    'Von $1 Postbacks des letzten Tages haben $2 einen Payout, Kosten oder eine Währung, die nicht zählen',
  ],
  'clicks.unread': [
    'Kosten von Klicks lassen sich nicht lesen',
    /^of the last day's (\d+) clicks (\d+) have a cost.*$/s,
    'Bei $2 von $1 Klicks des letzten Tages lassen sich die Kosten nicht lesen: Diese Klicks zählen ohne Kosten',
  ],
  'offer.capped': [
    'Das Tageslimit ist erreicht: Besucher gehen anderswohin',
    /^it has reached its daily cap of (\d+) conversions: .*$/,
    'Das Tageslimit von $1 Conversions ist erreicht: Besucher gehen anderswohin',
  ],
  'currency.unconverted': [
    'Für eine Währung fehlt ein Kurs',
    /^amounts in (\w+) are not counted on (\d+) days? since (\S+): there is no exchange rate to (\w+).*$/s,
    'Beträge in $1 werden seit $3 an $2 Tag(en) nicht gezählt: Es fehlt ein Kurs zu $4',
  ],
  'plan.limit_reached': [
    'Die Klicks des Monats übersteigen das Kontingent',
    /^the month's clicks passed the (\d+) of the plan "(.+)"$/,
    'Die Klicks des Monats übersteigen die $1 des Tarifs „$2“',
  ],
  'plan.limit_near': [
    'Das Kontingent des Monats ist fast verbraucht',
    /^(\d+) of the (\d+) clicks of the plan "(.+)" are used this month$/,
    '$1 der $2 Klicks des Tarifs „$3“ sind in diesem Monat verbraucht',
  ],
  'rule.matched': ['Eine Regel trifft zu'],
  'clicks.behind': ['Klicks oder Postbacks warten darauf, gespeichert zu werden'],
  'jobs.behind': ['Fällige Aufgaben laufen nicht', /^(\d+) jobs are due and do not run.*$/s, '$1 fällige Aufgaben laufen nicht'],
}

export const words = {
  does,
  detail: (type: Alert['type'], message: string): string => (type === 'domain.stray' ? dnsDetail(message) : message),
  seen: (type: Alert['type'], message: string): string => {
    const [text, form, translated] = seen[type]
    return form?.test(message) ? message.replace(form, translated!) : text
  },
}
