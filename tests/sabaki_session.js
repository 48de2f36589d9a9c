// A session of Sabaki's own GTP library with an engine: `node sabaki_session.js PROGRAM ARGUMENT ...`; prints JSON.
const {Controller, ControllerStateTracker} = require('@sabaki/gtp')

async function main() {
  const [program, ...args] = process.argv.slice(2)
  const controller = new Controller(program, args)
  const tracker = new ControllerStateTracker(controller)
  const told = {}
  const ask = async (name, ...args) => (await controller.sendCommand({name, args})).content
  const play = (color, vertex) => ({name: 'play', args: [color, vertex]})

  controller.start()
  told.title = [await ask('name'), await ask('version'), await ask('protocol_version')]
  told.undo = await tracker.knowsCommand('undo')

  // Sabaki brings an engine to a position with one call, by undo if that is shorter.
  const opening = [{name: 'set_free_handicap', args: ['C3', 'G7']}, play('W', 'E5'), play('B', 'C5'), play('W', 'G3')]
  const timeSettings = {mainTime: 60, byoyomiTime: 10, byoyomiStones: 5}
  await tracker.sync({komi: 0.5, boardsize: [9, 9], timeSettings, history: opening})
  told.first = await ask('printsgf')
  await tracker.sync({komi: 3, history: [...opening.slice(0, 3), play('W', 'C7')]})
  told.second = await ask('printsgf')
  told.refused = await controller.sendCommand({name: 'play', args: ['B', 'C7']})

  // An analysis goes on until the next command, here the one that Sabaki itself sends for it.
  told.analysis = []
  let abort
  const analysis = await controller.sendCommand({name: 'kata-analyze', args: ['W', '2', 'ownership', 'true']}, ({line}) => {
    if (line.startsWith('info ')) told.analysis.push(line)
    if (told.analysis.length === 3 && abort == null) abort = controller.sendCommand({name: 'protocol_version'})
  })
  told.analysisIsWhole = !analysis.error && analysis.content.split('\n').length === told.analysis.length
  told.abort = (await abort).content

  told.genmove = []
  await controller.sendCommand({name: 'lz-genmove_analyze', args: ['B', '2']}, ({line}) => told.genmove.push(line))
  told.history = tracker.state.history.map(({args}) => args.join(' '))
  told.third = await ask('printsgf')

  const ended = new Promise(resolve => controller.on('stopped', resolve))
  await controller.stop()
  told.ended = await ended
  console.log(JSON.stringify(told))
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
