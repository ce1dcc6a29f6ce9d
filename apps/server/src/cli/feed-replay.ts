import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '../clock.ts'
import { type Replay, serveRecordedSignals } from '../replay-signals.ts'
import { type Command, CommandFailure, exitCodes, textOf, UsageError } from './command.ts'

export const feedReplay: Command = {
  name: 'feed replay',
  summary:
    'Serves recorded signals (one as JSON on each line) as a feed on this machine, with the pauses of the recording.',
  usage: [
    '<file> [--port PORT] [--speed TIMES] [--key KEY] [--exact]',
    '--port PORT     where to listen; 7070 unless given',
    '--speed TIMES   how much faster than recorded; 1 unless given',
    '--key KEY       wanted as Bearer key; without it anybody on this machine may listen',
    '--exact         sends the lines as they are; otherwise they get ids of this run and count as observed just now',
  ],
  options: {
    port: { type: 'string' },
    speed: { type: 'string' },
    key: { type: 'string' },
    exact: { type: 'boolean' },
  },
  files: 1,
  async run({ values, files }, around) {
    const replay = await start(resolve(around.folder, files[0] ?? ''), {
      port: readNumber(textOf(values, 'port') ?? '7070', 'port', 65_535),
      speed: readNumber(textOf(values, 'speed') ?? '1', 'speed', 100_000),
      apiKey: textOf(values, 'key') ?? null,
      exact: values.exact === true,
    })
    around.out(`${replay.count} signals wait at ${replay.url} for the first listener. Ctrl-C stops.`)
    await replay.finished
    around.out('All of them are sent.')
    await replay.close()
    return exitCodes.done
  },
}

async function start(
  file: string,
  options: { port: number; speed: number; apiKey: string | null; exact: boolean },
): Promise<Replay> {
  try {
    return await serveRecordedSignals(readFileSync(file, 'utf8'), { ...options, clock: systemClock })
  } catch (error) {
    throw new CommandFailure(error instanceof Error ? error.message : String(error))
  }
}

function readNumber(text: string, name: string, max: number): number {
  const value = Number(text)
  if (!(value > 0 && value <= max)) throw new UsageError(`--${name} is not a number up to ${max}`)
  return value
}
