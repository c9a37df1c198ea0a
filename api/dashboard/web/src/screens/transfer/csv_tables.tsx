import { w } from '../../text/config.ts'

export type Tables = { offers?: File; campaigns?: File; links?: File }
const names = ['offers', 'campaigns', 'links'] as const

// tablesOf returns the texts of the files. Tables without a file are left out.
export async function tablesOf(files: Tables): Promise<{ offers?: string; campaigns?: string; links?: string }> {
  const texts: { offers?: string; campaigns?: string; links?: string } = {}
  for (const name of names) if (files[name]) texts[name] = await files[name].text()
  return texts
}

// CSVTables asks for the CSV tables of a tracker for which the service has no reader. A person must give at least one table.
export const CSVTables = ({ of: files, set }: { of: Tables; set: (files: Tables) => void }) => (
  <>
    <p class="dim">{w.csvText}</p>
    {names.map(name => (
      <div key={name} class="field">
        <label class="label" for={'csv-' + name}>
          {w.csvTables[name]}
        </label>
        <input
          id={'csv-' + name}
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          onChange={e => set({ ...files, [name]: e.currentTarget.files?.[0] })}
        />
        <small class="dim">{w.csvColumns[name]}</small>
      </div>
    ))}
  </>
)
