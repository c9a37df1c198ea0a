// The German of corrections by a file.
import type { words as en } from '../en/corrections.ts'
import { counted } from '../words.ts'

const of = counted('de')

export const words: typeof en = {
  corrections: {
    kind: 'Was korrigiert wird',
    kinds: { conversions: 'Conversions', cost: 'Ausgaben' },
    texts: {
      conversions: 'Trägt Conversions nach, die nie ankamen, oder ändert Status oder Payout von anderen.',
      cost: 'Setzt, was an einem Tag für eine Kampagne oder bei einer Quelle ausgegeben wurde. Es ersetzt die Kosten des Tages und wird auf die Klicks verteilt.',
    },
    drop: 'CSV-Datei hierher ziehen oder ihren Text einfügen',
    file: 'Datei wählen',
    csv: 'CSV',
    required: 'nötig',
    missing: names => `Der Datei fehlt eine Spalte für: ${names}.`,
    unknown: 'nicht gelesen',
    rows: (n, shown) => of(n, 'Zeile', 'Zeilen', shown),
    tooMany: shown => `Die Datei hat ${shown} Zeilen; gelesen werden nur die ersten 5.000. Bitte in Dateien zu 5.000 teilen.`,
    tooLarge: 'Die Datei ist größer als 6 MB. Bitte in kleinere teilen.',
    skipped: (n, shown) => `${of(n, 'Zeile ist', 'Zeilen sind', shown)} kein Datensatz`,
    skips: { 'it is above the header': 'über der Kopfzeile', 'it is empty': 'leer', 'it names the separator': 'nennt das Trennzeichen' },
    sourceOfAll: 'Traffic-Quelle der Zeilen, die keine nennen',
    dry: 'Probelauf',
    again: 'Neuer Probelauf',
    apply: (n, shown) => `${of(n, 'Zeile', 'Zeilen', shown)} übernehmen`,
    running: 'Zeilen werden gelesen',
    stale: 'Der Text hat sich seit dem Probelauf geändert. Vor dem Übernehmen ist ein neuer nötig.',
    old: 'Dieser Probelauf ist älter als zehn Minuten, und inzwischen kann sich etwas geändert haben. Ein neuer ist nötig.',
    applied: (n, shown) => `${of(n, 'Zeile ist', 'Zeilen sind', shown)} übernommen`,
    sum: { conversions: 'Payout', cost: 'Ausgaben' },
    outcome: 'Ergebnis',
    filter: 'Welche Zeilen',
    all: 'Alle',
    refused: 'Abgelehnt',
    accepted: 'Angenommen',
    nothing: 'Keine Zeile passt zu diesem Filter.',
    line: 'Zeile',
    row: 'Inhalt',
    amount: 'Betrag',
    counts: 'Anzahlen',
    isDry: 'Noch ist nichts geändert',
    isApplied: 'Übernommen',
    clear: 'Neu beginnen',
    results: {
      created: 'neu',
      updated: 'ändert',
      unchanged: 'wie es ist',
      spread: 'verteilt',
      alone: 'ohne Klicks',
      refused: 'abgelehnt',
    },
    spread: (n, shown) => `auf ${of(n, 'Klick', 'Klicks', shown)}`,
    askTitle: 'Korrektur übernehmen',
    askText: (accepted, shown, refused, shownRefused, undo) =>
      `${of(accepted, 'Zeile wird', 'Zeilen werden', shown)} geschrieben, ${of(refused, 'ist abgelehnt und bleibt', 'sind abgelehnt und bleiben', shownRefused)} weg. Die Zahlen ändern sich sofort; ${undo ? '30 Tage lang lässt es sich zurücknehmen' : 'rückgängig machen lässt es sich nicht'}.`,
    go: 'Übernehmen',
    readOnly: 'Die eigene Rolle darf nicht korrigieren, was aufgezeichnet ist.',
  },
}
