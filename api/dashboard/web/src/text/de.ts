// Jeder Text, der zu sehen ist, auf Deutsch. Angesprochen wird niemand: so passt es für alle.
import { words as build } from './de/build.ts'
import { words as money } from './de/money.ts'
import { words as records } from './de/records.ts'
import type { words as en } from './en.ts'
import { counted } from './words.ts'

const of = counted('de')

export const words: typeof en = {
  ...build, ...money, ...records,
  brand: 'Switchyard',
  nav: {
    main: 'Hauptmenü', overview: 'Überblick', reports: 'Berichte', more: 'Mehr', account: 'Konto', signOut: 'Abmelden', api: 'API-Referenz', skip: 'Zum Inhalt',
    clicksMonth: 'Klicks diesen Monat', used: (used, limit, forecast) => `${used} von ${limit} · voraussichtlich ${forecast}`,
    usedOnly: (used, forecast) => `${used} · voraussichtlich ${forecast}`, theme: 'Darstellung', licences: 'Lizenzen', build: 'Aufbau', connect: 'Verbinden', domains: 'Domains', integrations: 'Integrationen', itsConnection: 'Die Verbindung: was sie von selbst liest und meldet', screens: 'Weitere Seiten',
  },
  themes: { system: 'Wie das System', light: 'Hell', dark: 'Dunkel' },
  roles: { viewer: 'Betrachter', contributor: 'Bearbeiter', member: 'Mitglied', owner: 'Inhaber' },
  window: {
    choose: 'Zeitraum', compare: 'Vergleichen mit', previous: n => n === 1 ? 'gegen den Tag davor' : `gegen die ${n} Tage davor`, noCompare: 'ohne Vergleich',
    withPrevious: span => `Die Tage davor (${span})`, without: 'Nichts', custom: 'Von … bis', from: 'Von', to: 'Bis', apply: 'Anzeigen',
    presets: { today: 'Heute', yesterday: 'Gestern', '7d': 'Letzte 7 Tage', '14d': 'Letzte 14 Tage', '30d': 'Letzte 30 Tage', month: 'Dieser Monat', 'last-month': 'Letzter Monat' },
  },
  figures: {
    names: {
      clicks: 'Klicks', unique_clicks: 'Eindeutig', bot_clicks: 'Bots', lp_views: 'LP-Aufrufe', lp_clicks: 'LP-Klicks', lp_ctr: 'LP-CTR', conversions: 'Conv.',
      approved: 'Bestätigt', pending: 'Offen', rejected: 'Abgelehnt', chargebacks: 'Rückbuchungen', cr: 'CR', cost: 'Kosten', revenue: 'Umsatz', pending_revenue: 'Offener Umsatz',
      profit: 'Gewinn', roi: 'ROI', epc: 'EPC', cpc: 'CPC', cpa: 'CPA', approve_rate: 'Bestätigt %',
    },
    conversions: 'Conversions', points: n => `${n} Pp.`, isNew: 'neu',
  },
  dimensions: {
    campaign_id: 'Kampagne', stream_id: 'Pfad', lander_id: 'Landingpage', offer_id: 'Offer', source_id: 'Quelle', lp_slot: 'Slot', country: 'Land', region: 'Region',
    city: 'Stadt', language: 'Sprache', isp: 'Provider', asn: 'ASN', connection_type: 'Verbindung', mobile_operator: 'Mobilfunknetz', device_type: 'Gerät', device_brand: 'Marke',
    device_model: 'Modell', os: 'System', os_version: 'Systemversion', browser: 'Browser', browser_version: 'Browserversion', ip: 'IP-Adresse', referrer: 'Referrer', arrival: 'Ankunft', bot_reason: 'Bot-Grund',
    proxy_kind: 'Proxy', crawler: 'Crawler', date: 'Tag', hour: 'Stunde', hour_of_day: 'Uhrzeit', day_of_week: 'Wochentag', month: 'Monat',
    sub1: 'Sub 1', sub2: 'Sub 2', sub3: 'Sub 3', sub4: 'Sub 4', sub5: 'Sub 5', sub6: 'Sub 6', sub7: 'Sub 7', sub8: 'Sub 8', sub9: 'Sub 9', sub10: 'Sub 10',
  },
  weekdays: ['', 'Montag', 'Dienstag', 'Mittwoch', 'Donnerstag', 'Freitag', 'Samstag', 'Sonntag'],
  unknown: 'unbekannt', gone: 'entfernt',
  overview: {
    title: 'Überblick', totals: 'Summen', plotOf: (a, b) => b ? `${a} und ${b}` : a, before: name => `${name}, davor`,
    hour: 'Stunde', six: '6 Std.', day: 'Tag', bucket: 'Schrittweite des Diagramms', now: 'jetzt', rightNow: 'Gerade jetzt', visitors: (n, shown) => of(n, 'Besucher', 'Besucher', shown),
    byMinute: n => `Klicks je Minute, letzte ${n} Minuten`, minutesAgo: n => `vor ${n} min`, pace: n => `jetzt · ${n} Klicks je Minute`, nobody: 'Niemand in den letzten 30 Minuten.',
    campaigns: 'Kampagnen', byProfit: 'nach Gewinn', all: n => `Alle ${n} →`, name: 'Name', change: 'Gewinn, Veränderung', figuresRegion: 'Kennzahlen',
    needsYou: 'Zu erledigen', allWell: 'Es gibt nichts zu erledigen.', suggestions: (n, shown) => of(n, 'Vorschlag', 'Vorschläge', shown) + ' vom Copiloten', suggestionsMore: 'Änderungen, die die Zahlen nahelegen, jede mit ihren Gründen.', look: 'Ansehen', changed: 'Was sich verändert hat', against: days => days === 7 ? 'gegen die Woche davor' : days === 1 ? 'gegen den Tag davor' : `gegen die ${days} Tage davor`,
    noChange: 'Nichts hat sich stärker verändert, als der Zufall erklärt.', noCompare: 'Mit einem Vergleich zeigt sich, was sich verändert hat.', updated: s => s < 2 ? 'eben aktualisiert' : `vor ${s} s aktualisiert`, asTable: 'Als Tabelle', asPlot: 'Als Diagramm',
    summary: (figure, total, window) => `${figure}: ${total}, ${window}`, tooltipProfit: 'Gewinn', time: 'Zeit',
    cause: { cr: (a, b) => `CR ${a} → ${b}`, clicks: (a, b) => `Klicks ${a} → ${b}`, payout: (a, b) => `eine Conversion bringt ${a} → ${b}`, cost: (a, b) => `Kosten ${a} → ${b}`, noConversion: n => `${n} Klicks, keine Conversion` },
    empty: 'In diesem Zeitraum hatte keine Kampagne einen Klick.', emptyMore: 'Sobald der erste über einen Tracking-Link kommt, erscheint er hier.',
  },
  reports: {
    title: 'Berichte', group: 'Gruppieren', only: 'Nur', add: n => `Hinzufügen (${n} von 5)`, addDimension: 'Dimension hinzufügen', filter: 'Filter', tree: 'Baum', flat: 'Flach', shape: 'Form der Tabelle',
    columns: 'Spalten', exportIt: 'Exportieren', total: (n, shown) => `Summe aus ${n === 1 ? `${shown ?? n} Zeile` : `${shown ?? n} Zeilen`}`, totalMore: 'Summe aus allen', remove: what => `${what} entfernen`,
    earlier: what => `${what} eine Ebene höher`, is: what => `${what} ist`, isNot: what => `${what} ist nicht`, atLeast: 'Klicks', or: 'oder',
    onlyThis: 'Nur das (F)', exclude: 'Alles außer dem (X)', overTime: 'Im Verlauf (T)', itsClicks: 'Die Klicks dazu (L)', open: 'Aufklappen', close: 'Zuklappen', most: n => `Zu sehen sind die ${n} größten; der Export hat alle.`,
    empty: 'In diesem Zeitraum ist nichts.', emptyFiltered: 'Nichts passt zu diesen Filtern.', clearFilters: 'Filter aufheben', grouped: (g, f) => `Gruppiert nach ${g}, gefiltert nach ${f}`,
    rows: n => `${n} Zeilen`, move: 'bewegen', opens: 'aufklappen', closes: 'zuklappen', onlyKey: 'nur das', exceptKey: 'alles außer dem', allKeys: 'alle Tasten', chance: 'Graue Veränderungen kann der Zufall erklären',
    search: 'Suchen', value: 'Wert', dimension: 'Dimension',
    chooseValue: 'Werte nach Klicks', minClicks: 'Mindestens so viele Klicks', set: 'Setzen', done: 'Fertig', except: 'außer', loadingRow: 'Wird geladen',
    overTimeOf: name => `${name} im Verlauf`, actionsOf: name => `Aktionen für ${name}`,
  },
  enter: {
    title: 'Anmelden', email: 'E-Mail', password: 'Passwort', code: 'Code aus der App', codeHint: 'sechs Ziffern, oder ein Wiederherstellungscode', go: 'Anmelden', again: 'Die Sitzung ist beendet. Nach dem Anmelden geht es an derselben Stelle weiter.',
    welcome: 'Willkommen', invited: (account, role) => `Das ist eine Einladung zu ${account}, in der Rolle ${role}.`, yourName: 'Name', choose: 'Passwort wählen', atLeast: 'mindestens 10 Zeichen',
    join: 'Beitreten', reset: 'Neues Passwort', resetGo: 'Speichern und anmelden', known: 'Zum Anmelden dient das Passwort, das es hier schon gibt.', entering: 'Anmeldung läuft …', enterGo: account => `${account} öffnen`, entry: email => `Dieser Link meldet ${email} an, ein einziges Mal.`,
    confirm: 'Identität bestätigen', confirmText: 'Das gibt anderen Zugang oder lässt sich nicht rückgängig machen. Deshalb wird noch einmal nach dem Passwort gefragt.', confirmGo: 'Bestätigen', cancel: 'Abbrechen', noLink: 'In dieser Adresse fehlt der Link.', toSignIn: 'Zur Anmeldung',
  },
  failed: {
    again: 'Noch einmal', request: id => `Anfrage ${id}`, copy: 'Kopieren', title: 'Das konnte nicht geladen werden.',
    codes: {
      away: 'Der Dienst antwortet nicht. Vielleicht startet er gerade; verloren ist nichts.', unavailable: 'Der Dienst erreicht seine Daten im Moment nicht.', rate_limited: 'Zu viele Aufrufe auf einmal. Es hilft, kurz zu warten.',
      internal_error: 'Auf unserer Seite ist etwas schiefgegangen.', role_required: 'Die eigene Rolle erlaubt das nicht.', buyer_only: 'Die eigene Rolle erlaubt es nicht, Kampagnen anzulegen.', plan_limit: 'Der Tarif enthält das nicht.',
      wrong_sign_in: 'E-Mail und Passwort oder dieser Code stimmen nicht.', code_required: 'Es fehlt noch ein Code aus der App oder ein Wiederherstellungscode.', link_gone: 'Dieser Link wurde schon benutzt oder zurückgezogen, oder er ist älter als ein Tag.',
      weak_password: 'Ein Passwort hat 10 bis 200 Zeichen.', no_password: 'Dazu muss es erst ein Passwort geben. Einen Link dafür macht, wer diesen Dienst betreibt.', cross_site: 'Dieser Aufruf kam von einer anderen Website.',
      unauthenticated: 'Es ist niemand angemeldet.', not_found: 'Diesen Eintrag gibt es nicht, oder nicht mehr.', too_large: 'Das ist mehr, als eine Datei haben darf. Ein kürzerer Zeitraum hilft.',
    },
    wait: s => `Zu viele Versuche. In ${Math.ceil(s / 60)} Minuten geht es wieder.`,
  },
  notFound: { title: 'Diese Seite gibt es nicht', back: 'Zum Überblick' },
  close: 'Schließen', menu: 'Menü', loading: 'Wird geladen',
}
