// A WebGL program with the locations of its inputs by name.

const HEAD = "#version 300 es";

// names: the switches defined in both shaders.
export function programOf(gl, vertex, fragment, names = []) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, [HEAD, ...names.map((name) => `#define ${name}`), source].join("\n"));
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    gl.deleteShader(shader); // freed together with the program
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    const logs = gl.getAttachedShaders(program).map((s) => gl.getShaderInfoLog(s));
    throw new Error(`a shader does not compile: ${logs.join("")}${gl.getProgramInfoLog(program)}`);
  }
  const places = { attributes: {}, uniforms: {} };
  for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_ATTRIBUTES); i++) {
    const { name } = gl.getActiveAttrib(program, i);
    places.attributes[name] = gl.getAttribLocation(program, name);
  }
  for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
    const { name } = gl.getActiveUniform(program, i);
    places.uniforms[name.replace("[0]", "")] = gl.getUniformLocation(program, name);
  }
  return { program, ...places };
}
