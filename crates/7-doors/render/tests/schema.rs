//! The published schemas are those of the structs. `UPDATE=1` writes them anew.

use std::fs;
use std::path::Path;

#[test]
fn the_published_schemas_are_those_of_the_structs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/schema");
    let schemas = render::schemas();
    for (name, text) in &schemas {
        let path = folder.join(format!("{name}.schema.json"));
        if std::env::var_os("UPDATE").is_some() {
            fs::create_dir_all(&folder).expect("docs can be written");
            fs::write(&path, text).expect("docs can be written");
        }
        let published = fs::read_to_string(&path).unwrap_or_default();
        assert!(published == *text, "{}: run this test with UPDATE=1", path.display());
    }
    let files = fs::read_dir(&folder).expect("docs/schema is there").flatten();
    let files = files.filter(|f| f.file_name().to_string_lossy().ends_with(".json"));
    assert_eq!(files.count(), schemas.len(), "a schema that nothing is written by");
}

#[test]
fn every_schema_names_its_document() {
    for (name, text) in render::schemas() {
        assert!(text.contains(&format!("\"postbop.{name}/1\"")), "{name}");
    }
}
