import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '../clock.ts'
import { type Replay, serveRecordedSignals } from '../replay-signals.ts'
import { type Command, CommandFailure, exitCodes, findTextOption, UsageError } from './command.ts'

export const feedReplay: Command = {
  name: 'feed replay',
  summary: 'Serves recorded signals (JSON lines) as a local feed, with the timing of the recording.',
  usage: [
    '<file> [--port PORT] [--speed TIMES] [--key KEY] [--exact]',
    '--port PORT     port to listen on; the default is 7070',
    '--speed TIMES   speed factor; the default is 1',
    '--key KEY       required Bearer key; without it any process on this machine can connect',
    '--exact         sends the lines unchanged; by default each gets a new id and the current time as time of observation',
  ],
  options: {
    port: { type: 'string' },
    speed: { type: 'string' },
    key: { type: 'string' },
    exact: { type: 'boolean' },
  },
  files: 1,
  async run({ values, files }, cli) {
    const replay = await start(resolve(cli.folder, files[0] ?? ''), {
      port: readNumber(findTextOption(values, 'port') ?? '7070', 'port', 65_535),
      speed: readNumber(findTextOption(values, 'speed') ?? '1', 'speed', 100_000),
      apiKey: findTextOption(values, 'key') ?? null,
      exact: values.exact === true,
    })
    cli.out(`Serving ${replay.count} signals at ${replay.url}, starting with the first connection. Stop with Ctrl-C.`)
    await replay.finished
    cli.out('All signals were sent.')
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
  if (!(value > 0 && value <= max)) throw new UsageError(`--${name} must be a number up to ${max}`)
  return value
}
