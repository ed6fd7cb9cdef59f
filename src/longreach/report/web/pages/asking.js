// A request to our own server; one that is gone is said in words, not in those of the browser.
export async function ask(address, settings) {
  try {
    return await fetch(address, settings);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("the server does not answer; is `longreach report --serve` still running?");
  }
}
