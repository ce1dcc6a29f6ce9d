import { runMain } from '../src/run-main.ts'
import { createStandIn, model, standInJudge } from './stand-in.ts'

// The real process with the stand-in engine, so that a test can kill it.
runMain({ createEngine: createStandIn(10), model, judge: standInJudge })
