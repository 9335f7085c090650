// Long because ajv writes it from manifest-schema.ts: DOCS=write node dist/test/main.js docs/tables
// @ts-nocheck
"use strict";
export const isManifest = validate10;
const schema11 = {"type":"object","required":["default","models"],"properties":{"$schema":{"type":"string"},"default":{"type":"string","minLength":1},"models":{"type":"array","items":{"type":"object","required":["id","description","release_date","builds","reads_images","price_class"],"properties":{"id":{"type":"string","pattern":"^[a-z0-9][a-z0-9.-]{0,62}$"},"description":{"type":"string","minLength":1},"release_date":{"anyOf":[{"type":"string","pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},{"type":"null"}]},"builds":{"type":"array","items":{"type":"object","required":["date","file","sha256"],"properties":{"date":{"type":"string","pattern":"^[0-9]{8}$"},"file":{"type":"string","minLength":1},"sha256":{"type":"string","pattern":"^[0-9a-f]{64}$"},"temperatures":{"type":"object","additionalProperties":{"type":"number"}},"parts":{"type":"array","items":{"type":"object","required":["file","sha256"],"properties":{"file":{"type":"string","minLength":1},"sha256":{"type":"string","pattern":"^[0-9a-f]{64}$"}},"additionalProperties":false},"minItems":1,"maxItems":999},"projector":{"type":"object","required":["file","sha256"],"properties":{"file":{"type":"string","minLength":1},"sha256":{"type":"string","pattern":"^[0-9a-f]{64}$"}},"additionalProperties":false}},"additionalProperties":false},"minItems":1},"answers_for":{"type":"array","items":{"type":"string","minLength":1}},"profile":{"type":"string","minLength":1},"temperatures":{"type":"object","additionalProperties":{"type":"number"}},"context_length":{"type":"integer","minimum":64},"engine":{"type":"object","properties":{"devices":{"type":"array","items":{"type":"string","minLength":1},"minItems":1},"contexts":{"type":"integer","minimum":1,"maximum":8},"cells":{"type":"integer","minimum":256,"maximum":1048576},"wave_tokens":{"type":"integer","minimum":1,"maximum":65536},"sequences":{"type":"integer","minimum":2,"maximum":255},"threads":{"type":"integer","minimum":1,"maximum":512},"batch_percent":{"type":"integer","minimum":1,"maximum":100},"tuned":{"type":"object","required":["device","date","goal"],"properties":{"device":{"type":"string","minLength":1},"date":{"type":"string","pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},"goal":{"type":"string","minLength":1}},"additionalProperties":false}},"additionalProperties":false},"reads_images":{"type":"boolean"},"price_class":{"type":"string","minLength":1},"random_weights":{"type":"boolean"},"domain":{"type":"string","minLength":1}},"additionalProperties":false},"minItems":1}},"additionalProperties":false};
const func2 = Object.prototype.hasOwnProperty;
const pattern0 = new RegExp("^[a-z0-9][a-z0-9.-]{0,62}$", "u");
const pattern1 = new RegExp("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "u");
const pattern2 = new RegExp("^[0-9]{8}$", "u");
const pattern3 = new RegExp("^[0-9a-f]{64}$", "u");

function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.default === undefined) && (missing0 = "default")) || ((data.models === undefined) && (missing0 = "models"))){
validate10.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "$schema") || (key0 === "default")) || (key0 === "models"))){
validate10.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.$schema !== undefined){
const _errs2 = errors;
if(typeof data.$schema !== "string"){
validate10.errors = [{instancePath:instancePath+"/$schema",schemaPath:"#/properties/%24schema/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.default !== undefined){
let data1 = data.default;
const _errs4 = errors;
if(errors === _errs4){
if(typeof data1 === "string"){
if(data1.length < 1){
validate10.errors = [{instancePath:instancePath+"/default",schemaPath:"#/properties/default/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/default",schemaPath:"#/properties/default/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.models !== undefined){
let data2 = data.models;
const _errs6 = errors;
if(errors === _errs6){
if(Array.isArray(data2)){
if(data2.length < 1){
validate10.errors = [{instancePath:instancePath+"/models",schemaPath:"#/properties/models/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid1 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
const _errs8 = errors;
if(errors === _errs8){
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
let missing1;
if(((((((data3.id === undefined) && (missing1 = "id")) || ((data3.description === undefined) && (missing1 = "description"))) || ((data3.release_date === undefined) && (missing1 = "release_date"))) || ((data3.builds === undefined) && (missing1 = "builds"))) || ((data3.reads_images === undefined) && (missing1 = "reads_images"))) || ((data3.price_class === undefined) && (missing1 = "price_class"))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0,schemaPath:"#/properties/models/items/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs10 = errors;
for(const key1 in data3){
if(!(func2.call(schema11.properties.models.items.properties, key1))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0,schemaPath:"#/properties/models/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs10 === errors){
if(data3.id !== undefined){
let data4 = data3.id;
const _errs11 = errors;
if(errors === _errs11){
if(typeof data4 === "string"){
if(!pattern0.test(data4)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/id",schemaPath:"#/properties/models/items/properties/id/pattern",keyword:"pattern",params:{pattern: "^[a-z0-9][a-z0-9.-]{0,62}$"}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/id",schemaPath:"#/properties/models/items/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid2 = _errs11 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.description !== undefined){
let data5 = data3.description;
const _errs13 = errors;
if(errors === _errs13){
if(typeof data5 === "string"){
if(data5.length < 1){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/description",schemaPath:"#/properties/models/items/properties/description/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/description",schemaPath:"#/properties/models/items/properties/description/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid2 = _errs13 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.release_date !== undefined){
let data6 = data3.release_date;
const _errs15 = errors;
const _errs16 = errors;
let valid3 = false;
const _errs17 = errors;
if(errors === _errs17){
if(typeof data6 === "string"){
if(!pattern1.test(data6)){
const err0 = {instancePath:instancePath+"/models/" + i0+"/release_date",schemaPath:"#/properties/models/items/properties/release_date/anyOf/0/pattern",keyword:"pattern",params:{pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
else {
const err1 = {instancePath:instancePath+"/models/" + i0+"/release_date",schemaPath:"#/properties/models/items/properties/release_date/anyOf/0/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
var _valid0 = _errs17 === errors;
valid3 = valid3 || _valid0;
if(!valid3){
const _errs19 = errors;
if(data6 !== null){
const err2 = {instancePath:instancePath+"/models/" + i0+"/release_date",schemaPath:"#/properties/models/items/properties/release_date/anyOf/1/type",keyword:"type",params:{type: "null"}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var _valid0 = _errs19 === errors;
valid3 = valid3 || _valid0;
}
if(!valid3){
const err3 = {instancePath:instancePath+"/models/" + i0+"/release_date",schemaPath:"#/properties/models/items/properties/release_date/anyOf",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate10.errors = vErrors;
return false;
}
else {
errors = _errs16;
if(vErrors !== null){
if(_errs16){
vErrors.length = _errs16;
}
else {
vErrors = null;
}
}
}
var valid2 = _errs15 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.builds !== undefined){
let data7 = data3.builds;
const _errs21 = errors;
if(errors === _errs21){
if(Array.isArray(data7)){
if(data7.length < 1){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds",schemaPath:"#/properties/models/items/properties/builds/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len1 = data7.length;
for(let i1=0; i1<len1; i1++){
let data8 = data7[i1];
const _errs23 = errors;
if(errors === _errs23){
if(data8 && typeof data8 == "object" && !Array.isArray(data8)){
let missing2;
if((((data8.date === undefined) && (missing2 = "date")) || ((data8.file === undefined) && (missing2 = "file"))) || ((data8.sha256 === undefined) && (missing2 = "sha256"))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1,schemaPath:"#/properties/models/items/properties/builds/items/required",keyword:"required",params:{missingProperty: missing2}}];
return false;
}
else {
const _errs25 = errors;
for(const key2 in data8){
if(!((((((key2 === "date") || (key2 === "file")) || (key2 === "sha256")) || (key2 === "temperatures")) || (key2 === "parts")) || (key2 === "projector"))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1,schemaPath:"#/properties/models/items/properties/builds/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}}];
return false;
break;
}
}
if(_errs25 === errors){
if(data8.date !== undefined){
let data9 = data8.date;
const _errs26 = errors;
if(errors === _errs26){
if(typeof data9 === "string"){
if(!pattern2.test(data9)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/date",schemaPath:"#/properties/models/items/properties/builds/items/properties/date/pattern",keyword:"pattern",params:{pattern: "^[0-9]{8}$"}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/date",schemaPath:"#/properties/models/items/properties/builds/items/properties/date/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid5 = _errs26 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data8.file !== undefined){
let data10 = data8.file;
const _errs28 = errors;
if(errors === _errs28){
if(typeof data10 === "string"){
if(data10.length < 1){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/file",schemaPath:"#/properties/models/items/properties/builds/items/properties/file/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/file",schemaPath:"#/properties/models/items/properties/builds/items/properties/file/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid5 = _errs28 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data8.sha256 !== undefined){
let data11 = data8.sha256;
const _errs30 = errors;
if(errors === _errs30){
if(typeof data11 === "string"){
if(!pattern3.test(data11)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/sha256",schemaPath:"#/properties/models/items/properties/builds/items/properties/sha256/pattern",keyword:"pattern",params:{pattern: "^[0-9a-f]{64}$"}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/sha256",schemaPath:"#/properties/models/items/properties/builds/items/properties/sha256/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid5 = _errs30 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data8.temperatures !== undefined){
let data12 = data8.temperatures;
const _errs32 = errors;
if(errors === _errs32){
if(data12 && typeof data12 == "object" && !Array.isArray(data12)){
for(const key3 in data12){
let data13 = data12[key3];
const _errs35 = errors;
if(!((typeof data13 == "number") && (isFinite(data13)))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/temperatures/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/models/items/properties/builds/items/properties/temperatures/additionalProperties/type",keyword:"type",params:{type: "number"}}];
return false;
}
var valid6 = _errs35 === errors;
if(!valid6){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/temperatures",schemaPath:"#/properties/models/items/properties/builds/items/properties/temperatures/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid5 = _errs32 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data8.parts !== undefined){
let data14 = data8.parts;
const _errs37 = errors;
if(errors === _errs37){
if(Array.isArray(data14)){
if(data14.length > 999){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/parts",schemaPath:"#/properties/models/items/properties/builds/items/properties/parts/maxItems",keyword:"maxItems",params:{limit: 999}}];
return false;
}
else {
if(data14.length < 1){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/parts",schemaPath:"#/properties/models/items/properties/builds/items/properties/parts/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid7 = true;
const len2 = data14.length;
for(let i2=0; i2<len2; i2++){
let data15 = data14[i2];
const _errs39 = errors;
if(errors === _errs39){
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
let missing3;
if(((data15.file === undefined) && (missing3 = "file")) || ((data15.sha256 === undefined) && (missing3 = "sha256"))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/parts/" + i2,schemaPath:"#/properties/models/items/properties/builds/items/properties/parts/items/required",keyword:"required",params:{missingProperty: missing3}}];
return false;
}
else {
const _errs41 = errors;
for(const key4 in data15){
if(!((key4 === "file") || (key4 === "sha256"))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/parts/" + i2,schemaPath:"#/properties/models/items/properties/builds/items/properties/parts/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4}}];
return false;
break;
}
}
if(_errs41 === errors){
if(data15.file !== undefined){
let data16 = data15.file;
const _errs42 = errors;
if(errors === _errs42){
if(typeof data16 === "string"){
if(data16.length < 1){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/parts/" + i2+"/file",schemaPath:"#/properties/models/items/properties/builds/items/properties/parts/items/properties/file/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/parts/" + i2+"/file",schemaPath:"#/properties/models/items/properties/builds/items/properties/parts/items/properties/file/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid8 = _errs42 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data15.sha256 !== undefined){
let data17 = data15.sha256;
const _errs44 = errors;
if(errors === _errs44){
if(typeof data17 === "string"){
if(!pattern3.test(data17)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/parts/" + i2+"/sha256",schemaPath:"#/properties/models/items/properties/builds/items/properties/parts/items/properties/sha256/pattern",keyword:"pattern",params:{pattern: "^[0-9a-f]{64}$"}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/parts/" + i2+"/sha256",schemaPath:"#/properties/models/items/properties/builds/items/properties/parts/items/properties/sha256/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid8 = _errs44 === errors;
}
else {
var valid8 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/parts/" + i2,schemaPath:"#/properties/models/items/properties/builds/items/properties/parts/items/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid7 = _errs39 === errors;
if(!valid7){
break;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/parts",schemaPath:"#/properties/models/items/properties/builds/items/properties/parts/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid5 = _errs37 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data8.projector !== undefined){
let data18 = data8.projector;
const _errs46 = errors;
if(errors === _errs46){
if(data18 && typeof data18 == "object" && !Array.isArray(data18)){
let missing4;
if(((data18.file === undefined) && (missing4 = "file")) || ((data18.sha256 === undefined) && (missing4 = "sha256"))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/projector",schemaPath:"#/properties/models/items/properties/builds/items/properties/projector/required",keyword:"required",params:{missingProperty: missing4}}];
return false;
}
else {
const _errs48 = errors;
for(const key5 in data18){
if(!((key5 === "file") || (key5 === "sha256"))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/projector",schemaPath:"#/properties/models/items/properties/builds/items/properties/projector/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key5}}];
return false;
break;
}
}
if(_errs48 === errors){
if(data18.file !== undefined){
let data19 = data18.file;
const _errs49 = errors;
if(errors === _errs49){
if(typeof data19 === "string"){
if(data19.length < 1){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/projector/file",schemaPath:"#/properties/models/items/properties/builds/items/properties/projector/properties/file/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/projector/file",schemaPath:"#/properties/models/items/properties/builds/items/properties/projector/properties/file/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid9 = _errs49 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data18.sha256 !== undefined){
let data20 = data18.sha256;
const _errs51 = errors;
if(errors === _errs51){
if(typeof data20 === "string"){
if(!pattern3.test(data20)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/projector/sha256",schemaPath:"#/properties/models/items/properties/builds/items/properties/projector/properties/sha256/pattern",keyword:"pattern",params:{pattern: "^[0-9a-f]{64}$"}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/projector/sha256",schemaPath:"#/properties/models/items/properties/builds/items/properties/projector/properties/sha256/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid9 = _errs51 === errors;
}
else {
var valid9 = true;
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1+"/projector",schemaPath:"#/properties/models/items/properties/builds/items/properties/projector/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid5 = _errs46 === errors;
}
else {
var valid5 = true;
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds/" + i1,schemaPath:"#/properties/models/items/properties/builds/items/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid4 = _errs23 === errors;
if(!valid4){
break;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/builds",schemaPath:"#/properties/models/items/properties/builds/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid2 = _errs21 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.answers_for !== undefined){
let data21 = data3.answers_for;
const _errs53 = errors;
if(errors === _errs53){
if(Array.isArray(data21)){
var valid10 = true;
const len3 = data21.length;
for(let i3=0; i3<len3; i3++){
let data22 = data21[i3];
const _errs55 = errors;
if(errors === _errs55){
if(typeof data22 === "string"){
if(data22.length < 1){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/answers_for/" + i3,schemaPath:"#/properties/models/items/properties/answers_for/items/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/answers_for/" + i3,schemaPath:"#/properties/models/items/properties/answers_for/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid10 = _errs55 === errors;
if(!valid10){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/answers_for",schemaPath:"#/properties/models/items/properties/answers_for/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid2 = _errs53 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.profile !== undefined){
let data23 = data3.profile;
const _errs57 = errors;
if(errors === _errs57){
if(typeof data23 === "string"){
if(data23.length < 1){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/profile",schemaPath:"#/properties/models/items/properties/profile/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/profile",schemaPath:"#/properties/models/items/properties/profile/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid2 = _errs57 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.temperatures !== undefined){
let data24 = data3.temperatures;
const _errs59 = errors;
if(errors === _errs59){
if(data24 && typeof data24 == "object" && !Array.isArray(data24)){
for(const key6 in data24){
let data25 = data24[key6];
const _errs62 = errors;
if(!((typeof data25 == "number") && (isFinite(data25)))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/temperatures/" + key6.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/models/items/properties/temperatures/additionalProperties/type",keyword:"type",params:{type: "number"}}];
return false;
}
var valid11 = _errs62 === errors;
if(!valid11){
break;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/temperatures",schemaPath:"#/properties/models/items/properties/temperatures/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid2 = _errs59 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.context_length !== undefined){
let data26 = data3.context_length;
const _errs64 = errors;
if(!(((typeof data26 == "number") && (!(data26 % 1) && !isNaN(data26))) && (isFinite(data26)))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/context_length",schemaPath:"#/properties/models/items/properties/context_length/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs64){
if((typeof data26 == "number") && (isFinite(data26))){
if(data26 < 64 || isNaN(data26)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/context_length",schemaPath:"#/properties/models/items/properties/context_length/minimum",keyword:"minimum",params:{comparison: ">=", limit: 64}}];
return false;
}
}
}
var valid2 = _errs64 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.engine !== undefined){
let data27 = data3.engine;
const _errs66 = errors;
if(errors === _errs66){
if(data27 && typeof data27 == "object" && !Array.isArray(data27)){
const _errs68 = errors;
for(const key7 in data27){
if(!((((((((key7 === "devices") || (key7 === "contexts")) || (key7 === "cells")) || (key7 === "wave_tokens")) || (key7 === "sequences")) || (key7 === "threads")) || (key7 === "batch_percent")) || (key7 === "tuned"))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine",schemaPath:"#/properties/models/items/properties/engine/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key7}}];
return false;
break;
}
}
if(_errs68 === errors){
if(data27.devices !== undefined){
let data28 = data27.devices;
const _errs69 = errors;
if(errors === _errs69){
if(Array.isArray(data28)){
if(data28.length < 1){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/devices",schemaPath:"#/properties/models/items/properties/engine/properties/devices/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid13 = true;
const len4 = data28.length;
for(let i4=0; i4<len4; i4++){
let data29 = data28[i4];
const _errs71 = errors;
if(errors === _errs71){
if(typeof data29 === "string"){
if(data29.length < 1){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/devices/" + i4,schemaPath:"#/properties/models/items/properties/engine/properties/devices/items/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/devices/" + i4,schemaPath:"#/properties/models/items/properties/engine/properties/devices/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid13 = _errs71 === errors;
if(!valid13){
break;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/devices",schemaPath:"#/properties/models/items/properties/engine/properties/devices/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid12 = _errs69 === errors;
}
else {
var valid12 = true;
}
if(valid12){
if(data27.contexts !== undefined){
let data30 = data27.contexts;
const _errs73 = errors;
if(!(((typeof data30 == "number") && (!(data30 % 1) && !isNaN(data30))) && (isFinite(data30)))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/contexts",schemaPath:"#/properties/models/items/properties/engine/properties/contexts/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs73){
if((typeof data30 == "number") && (isFinite(data30))){
if(data30 > 8 || isNaN(data30)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/contexts",schemaPath:"#/properties/models/items/properties/engine/properties/contexts/maximum",keyword:"maximum",params:{comparison: "<=", limit: 8}}];
return false;
}
else {
if(data30 < 1 || isNaN(data30)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/contexts",schemaPath:"#/properties/models/items/properties/engine/properties/contexts/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid12 = _errs73 === errors;
}
else {
var valid12 = true;
}
if(valid12){
if(data27.cells !== undefined){
let data31 = data27.cells;
const _errs75 = errors;
if(!(((typeof data31 == "number") && (!(data31 % 1) && !isNaN(data31))) && (isFinite(data31)))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/cells",schemaPath:"#/properties/models/items/properties/engine/properties/cells/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs75){
if((typeof data31 == "number") && (isFinite(data31))){
if(data31 > 1048576 || isNaN(data31)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/cells",schemaPath:"#/properties/models/items/properties/engine/properties/cells/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1048576}}];
return false;
}
else {
if(data31 < 256 || isNaN(data31)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/cells",schemaPath:"#/properties/models/items/properties/engine/properties/cells/minimum",keyword:"minimum",params:{comparison: ">=", limit: 256}}];
return false;
}
}
}
}
var valid12 = _errs75 === errors;
}
else {
var valid12 = true;
}
if(valid12){
if(data27.wave_tokens !== undefined){
let data32 = data27.wave_tokens;
const _errs77 = errors;
if(!(((typeof data32 == "number") && (!(data32 % 1) && !isNaN(data32))) && (isFinite(data32)))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/wave_tokens",schemaPath:"#/properties/models/items/properties/engine/properties/wave_tokens/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs77){
if((typeof data32 == "number") && (isFinite(data32))){
if(data32 > 65536 || isNaN(data32)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/wave_tokens",schemaPath:"#/properties/models/items/properties/engine/properties/wave_tokens/maximum",keyword:"maximum",params:{comparison: "<=", limit: 65536}}];
return false;
}
else {
if(data32 < 1 || isNaN(data32)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/wave_tokens",schemaPath:"#/properties/models/items/properties/engine/properties/wave_tokens/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid12 = _errs77 === errors;
}
else {
var valid12 = true;
}
if(valid12){
if(data27.sequences !== undefined){
let data33 = data27.sequences;
const _errs79 = errors;
if(!(((typeof data33 == "number") && (!(data33 % 1) && !isNaN(data33))) && (isFinite(data33)))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/sequences",schemaPath:"#/properties/models/items/properties/engine/properties/sequences/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs79){
if((typeof data33 == "number") && (isFinite(data33))){
if(data33 > 255 || isNaN(data33)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/sequences",schemaPath:"#/properties/models/items/properties/engine/properties/sequences/maximum",keyword:"maximum",params:{comparison: "<=", limit: 255}}];
return false;
}
else {
if(data33 < 2 || isNaN(data33)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/sequences",schemaPath:"#/properties/models/items/properties/engine/properties/sequences/minimum",keyword:"minimum",params:{comparison: ">=", limit: 2}}];
return false;
}
}
}
}
var valid12 = _errs79 === errors;
}
else {
var valid12 = true;
}
if(valid12){
if(data27.threads !== undefined){
let data34 = data27.threads;
const _errs81 = errors;
if(!(((typeof data34 == "number") && (!(data34 % 1) && !isNaN(data34))) && (isFinite(data34)))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/threads",schemaPath:"#/properties/models/items/properties/engine/properties/threads/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs81){
if((typeof data34 == "number") && (isFinite(data34))){
if(data34 > 512 || isNaN(data34)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/threads",schemaPath:"#/properties/models/items/properties/engine/properties/threads/maximum",keyword:"maximum",params:{comparison: "<=", limit: 512}}];
return false;
}
else {
if(data34 < 1 || isNaN(data34)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/threads",schemaPath:"#/properties/models/items/properties/engine/properties/threads/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid12 = _errs81 === errors;
}
else {
var valid12 = true;
}
if(valid12){
if(data27.batch_percent !== undefined){
let data35 = data27.batch_percent;
const _errs83 = errors;
if(!(((typeof data35 == "number") && (!(data35 % 1) && !isNaN(data35))) && (isFinite(data35)))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/batch_percent",schemaPath:"#/properties/models/items/properties/engine/properties/batch_percent/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs83){
if((typeof data35 == "number") && (isFinite(data35))){
if(data35 > 100 || isNaN(data35)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/batch_percent",schemaPath:"#/properties/models/items/properties/engine/properties/batch_percent/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100}}];
return false;
}
else {
if(data35 < 1 || isNaN(data35)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/batch_percent",schemaPath:"#/properties/models/items/properties/engine/properties/batch_percent/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid12 = _errs83 === errors;
}
else {
var valid12 = true;
}
if(valid12){
if(data27.tuned !== undefined){
let data36 = data27.tuned;
const _errs85 = errors;
if(errors === _errs85){
if(data36 && typeof data36 == "object" && !Array.isArray(data36)){
let missing5;
if((((data36.device === undefined) && (missing5 = "device")) || ((data36.date === undefined) && (missing5 = "date"))) || ((data36.goal === undefined) && (missing5 = "goal"))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/tuned",schemaPath:"#/properties/models/items/properties/engine/properties/tuned/required",keyword:"required",params:{missingProperty: missing5}}];
return false;
}
else {
const _errs87 = errors;
for(const key8 in data36){
if(!(((key8 === "device") || (key8 === "date")) || (key8 === "goal"))){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/tuned",schemaPath:"#/properties/models/items/properties/engine/properties/tuned/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key8}}];
return false;
break;
}
}
if(_errs87 === errors){
if(data36.device !== undefined){
let data37 = data36.device;
const _errs88 = errors;
if(errors === _errs88){
if(typeof data37 === "string"){
if(data37.length < 1){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/tuned/device",schemaPath:"#/properties/models/items/properties/engine/properties/tuned/properties/device/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/tuned/device",schemaPath:"#/properties/models/items/properties/engine/properties/tuned/properties/device/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid14 = _errs88 === errors;
}
else {
var valid14 = true;
}
if(valid14){
if(data36.date !== undefined){
let data38 = data36.date;
const _errs90 = errors;
if(errors === _errs90){
if(typeof data38 === "string"){
if(!pattern1.test(data38)){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/tuned/date",schemaPath:"#/properties/models/items/properties/engine/properties/tuned/properties/date/pattern",keyword:"pattern",params:{pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/tuned/date",schemaPath:"#/properties/models/items/properties/engine/properties/tuned/properties/date/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid14 = _errs90 === errors;
}
else {
var valid14 = true;
}
if(valid14){
if(data36.goal !== undefined){
let data39 = data36.goal;
const _errs92 = errors;
if(errors === _errs92){
if(typeof data39 === "string"){
if(data39.length < 1){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/tuned/goal",schemaPath:"#/properties/models/items/properties/engine/properties/tuned/properties/goal/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/tuned/goal",schemaPath:"#/properties/models/items/properties/engine/properties/tuned/properties/goal/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid14 = _errs92 === errors;
}
else {
var valid14 = true;
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine/tuned",schemaPath:"#/properties/models/items/properties/engine/properties/tuned/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid12 = _errs85 === errors;
}
else {
var valid12 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/engine",schemaPath:"#/properties/models/items/properties/engine/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid2 = _errs66 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.reads_images !== undefined){
const _errs94 = errors;
if(typeof data3.reads_images !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/reads_images",schemaPath:"#/properties/models/items/properties/reads_images/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid2 = _errs94 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.price_class !== undefined){
let data41 = data3.price_class;
const _errs96 = errors;
if(errors === _errs96){
if(typeof data41 === "string"){
if(data41.length < 1){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/price_class",schemaPath:"#/properties/models/items/properties/price_class/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/price_class",schemaPath:"#/properties/models/items/properties/price_class/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid2 = _errs96 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.random_weights !== undefined){
const _errs98 = errors;
if(typeof data3.random_weights !== "boolean"){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/random_weights",schemaPath:"#/properties/models/items/properties/random_weights/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid2 = _errs98 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.domain !== undefined){
let data43 = data3.domain;
const _errs100 = errors;
if(errors === _errs100){
if(typeof data43 === "string"){
if(data43.length < 1){
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/domain",schemaPath:"#/properties/models/items/properties/domain/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0+"/domain",schemaPath:"#/properties/models/items/properties/domain/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid2 = _errs100 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models/" + i0,schemaPath:"#/properties/models/items/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid1 = _errs8 === errors;
if(!valid1){
break;
}
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/models",schemaPath:"#/properties/models/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate10.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate10.errors = vErrors;
return errors === 0;
}
