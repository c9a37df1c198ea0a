import type { words as en } from '../en/views.ts'

export const words: typeof en = {
  views: 'Ansichten', open: 'Ansicht öffnen', none: 'Noch keine Ansicht gespeichert.', noneMore: 'Eine Ansicht merkt sich Gruppierung, Filter, Spalten und Reihenfolge unter einem Namen. Der Zeitraum bleibt, wie er ist.', own: 'Eigene', shared: 'Im Konto geteilt', by: who => `von ${who}`, opens: 'öffnet mit Berichten', changed: 'geändert',
  save: 'Änderungen speichern', saveAs: 'Speichern unter …', rename: 'Umbenennen …', share: 'Teilen', unshare: 'Nicht mehr teilen', makeDefault: 'Berichte damit öffnen', dropDefault: 'Berichte nicht damit öffnen', remove: 'Löschen …', reset: 'Zurück zur Ansicht',
  newTitle: 'Ansicht speichern', renameTitle: 'Ansicht umbenennen', name: 'Name', sharedSwitch: 'Für alle im Konto sichtbar', go: 'Speichern', needsName: 'Die Ansicht braucht einen Namen.', taken: 'Eine andere Ansicht heißt schon so.', many: 'Es gibt schon 100 Ansichten. Zuerst muss eine gelöscht werden.',
  saved: name => `Die Ansicht ${name} ist gespeichert`, removed: name => `Die Ansicht ${name} ist gelöscht`, removeTitle: 'Ansicht löschen', removeText: (name, shared) => shared ? `${name} verschwindet für alle im Konto. Berichte und Zahlen bleiben.` : `${name} verschwindet. Berichte und Zahlen bleiben.`, deleteGo: 'Löschen', isShared: name => `${name} ist geteilt`, isOwn: name => `${name} ist nur noch privat sichtbar`, isDefault: name => `Berichte öffnen mit ${name}`, noDefault: 'Berichte öffnen wie üblich', current: name => `Ansicht: ${name}`,
}
