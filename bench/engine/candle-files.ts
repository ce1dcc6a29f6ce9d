import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/**
 * One month of one-minute candles of an asset. Each array contains one value per minute. `from` is
 * the time of the first minute, in ms.
 */
export interface Month {
  asset: string
  market: string
  name: string
  from: number
  open: Float64Array
  high: Float64Array
  low: Float64Array
  close: Float64Array
  volume: Float64Array
  takerBuy: Float64Array
}

export function readMonths(folder: string): Month[] {
  const files = [folder, join(folder, 'more')].flatMap((path) =>
    readdirSync(path)
      .filter((file) => file.endsWith('.csv.gz'))
      .map((file) => join(path, file)),
  )
  return files.sort().map(readMonth)
}

function readMonth(path: string): Month {
  const name = basename(path, '.csv.gz')
  const asset = name.split('USDT-')[0] ?? name
  const lines = gunzipSync(readFileSync(path)).toString().trim().split('\n').slice(1)
  const month: Month = { asset, market: `${asset}/USDT`, name, from: 0, ...createColumns(lines.length) }
  lines.forEach((line, i) => {
    const cells = line.split(',')
    if (i === 0) month.from = Number(cells[0])
    else if (Number(cells[0]) !== month.from + i * 60_000) throw new Error(`${name}: a minute is missing`)
    month.open[i] = Number(cells[1])
    month.high[i] = Number(cells[2])
    month.low[i] = Number(cells[3])
    month.close[i] = Number(cells[4])
    month.volume[i] = Number(cells[5])
    month.takerBuy[i] = Number(cells[cells.length > 8 ? 9 : 6])
  })
  return month
}

function createColumns(size: number) {
  const createColumn = () => new Float64Array(size)
  return {
    open: createColumn(),
    high: createColumn(),
    low: createColumn(),
    close: createColumn(),
    volume: createColumn(),
    takerBuy: createColumn(),
  }
}
